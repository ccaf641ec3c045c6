#include "server/api/handlers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "data/batch.h"
#include "server/api/answer_task.h"
#include "server/http/api_error.h"
#include "server/http/json.h"

namespace attend::server {
namespace {

using nlohmann::json;

struct NearestRequest {
  const ServedModel* model = nullptr;
  app::SourceLine line;
  int64_t most = 5;
};

NearestRequest parse_nearest(const json& body, const ServedModels& models) {
  Fields fields(body);
  NearestRequest request;
  request.model = &models.named(fields.text("model").value_or(""));
  const std::string text = fields.required_text("q");
  request.most = fields.integer("n", {1, 100}).value_or(request.most);
  fields.refuse_others();
  request.line = request.model->translator->prepare(text, 1, "");
  if (request.line.empty()) throw bad_request("\"q\" is empty");
  return request;
}

json neighbors_json(const NearestRequest& request, const SentenceIndex& index) {
  const app::LoadedModel& model = request.model->loaded();
  const std::vector<std::vector<text::TokenId>> source = {request.line.sentence.sources.front()};
  json neighbors = json::array();
  for (const Neighbor& one : index.nearest(data::pad(source), request.most)) {
    neighbors.push_back({{"line", one.line},
                         {"similarity", one.similarity},
                         {"source", model.source->decode(one.source)},
                         {"target", model.target->decode(one.target)}});
  }
  return {{"model", request.model->name},
          {"sentences", index.size()},
          {"of", index.total()},
          {"nearest", std::move(neighbors)}};
}

Response not_yet(const TrainingNeighbors::State& state) {
  return {.status = 202,
          .body = dump({{"done", state.done}, {"total", state.total}}),
          .headers = {{"Retry-After", "1"}}};
}

}  // namespace

void nearest(const Context& context, const Request& request, const SharedExchange& exchange) {
  const NearestRequest asked = parse_nearest(parse_object(request.body), context.models);
  const TrainingNeighbors::State state = context.neighbors.index(*asked.model);
  if (!state.index) return exchange->respond(not_yet(state));
  context.queue.add(answer_task(
      exchange, [asked, index = state.index] { return neighbors_json(asked, *index); }));
}

}  // namespace attend::server
