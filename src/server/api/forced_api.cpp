#include "server/api/handlers.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "align/extract.h"
#include "app/align/alignment_method.h"
#include "app/align/forced_pairs.h"
#include "server/api/answer_size.h"
#include "server/api/answer_task.h"
#include "server/api/translate_answer.h"
#include "server/http/api_error.h"
#include "server/http/json.h"

namespace attend::server {
namespace {

using nlohmann::json;

constexpr std::size_t kMostPairBytes = std::size_t{1} << 16;

/// The sentence pair of a request.
struct PairRequest {
  const app::LoadedModel* model = nullptr;
  data::LinePair pair;
  int64_t source_pieces = 0;
  int64_t target_pieces = 0;
};

PairRequest parse_pair(Fields& fields, const ServedModels& models) {
  PairRequest request;
  request.model = &models.named(fields.text("model").value_or("")).loaded();
  request.pair.source = fields.required_text("source");
  request.pair.target = fields.required_text("target");
  const int64_t limit = request.model->experiment.data.max_length;
  if (request.pair.source.size() + request.pair.target.size() > kMostPairBytes)
    throw bad_request(fmt::format("the pair exceeds {} bytes", kMostPairBytes));
  request.source_pieces = std::ssize(request.model->source->encode(request.pair.source));
  request.target_pieces = std::ssize(request.model->target->encode(request.pair.target));
  const int64_t pieces = std::max(request.source_pieces, request.target_pieces);
  if (pieces > limit)
    throw bad_request(
        fmt::format("a side has {} pieces, which exceeds the model's limit of {}", pieces, limit));
  return request;
}

app::ForcedPair force(const PairRequest& request, const app::ForceOptions& options) {
  app::PairForcer forcer(*request.model, options);
  return std::move(forcer.force({&request.pair, 1}, 0).front());
}

json score_answer(const PairRequest& request) {
  const app::ForcedPair pair = force(request, {.batch = {.size = 1}, .whole_lines = true});
  return {{"log_prob", pair.forced.log_prob()},
          {"pieces", pieces_json(pair.target)},
          {"log_probs", pair.forced.token_log_probs}};
}

json align_answer(const PairRequest& request, const app::AlignmentMethod& method) {
  if (method.needs_attention) app::require_attention(*request.model, "\"method\"");
  app::require_fit(method, *request.model, "\"method\"");
  app::ForceOptions options =
      app::force_options(method, {{}, app::default_map(method, *request.model)});
  options.batch.size = 1;
  options.whole_lines = true;
  const app::ForcedPair pair = force(request, options);
  const auto words =
      app::attention_matrix({pair.source, pair.target, pair.forced.attention, {}},
                            align::Level::kWord, app::default_shift(method, *request.model));
  json answer = matrix_json(words);
  answer["links"] = json::array();
  for (const align::Link& link : align::extract_links(words))
    answer["links"].push_back({link.source, link.target});
  return answer;
}

}  // namespace

void score(const Context& context, const Request& request, const SharedExchange& exchange) {
  const json body = parse_object(request.body);
  Fields fields(body);
  const PairRequest pair = parse_pair(fields, context.models);
  fields.refuse_others();
  context.queue.add(answer_task(exchange, [pair] { return score_answer(pair); }));
}

void align(const Context& context, const Request& request, const SharedExchange& exchange) {
  const json body = parse_object(request.body);
  Fields fields(body);
  const PairRequest pair = parse_pair(fields, context.models);
  const auto name = fields.choice("method", app::alignment_method_names()).value_or("attention");
  fields.refuse_others();
  check_matrix_size(pair.target_pieces + 1, pair.source_pieces + 1);
  context.queue.add(answer_task(
      exchange, [pair, name] { return align_answer(pair, app::alignment_method(name)); }));
}

}  // namespace attend::server
