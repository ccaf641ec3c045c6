#include "server/api/routes.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "app/translate/output_terms.h"
#include "server/api/handlers.h"
#include "server/api/kinds_json.h"
#include "server/http/api_error.h"
#include "server/http/json.h"

namespace attend::server {
namespace {

using nlohmann::json;

/// A handler that answers immediately.
auto at_once(std::function<Response(const Request&)> make) {
  return [make = std::move(make)](const Request& request, const SharedExchange& exchange) {
    exchange->respond(make(request));
  };
}

/// A handler that may answer later.
auto later(const Context& context,
           void (*handle)(const Context&, const Request&, const SharedExchange&)) {
  return [&context, handle](const Request& request, const SharedExchange& exchange) {
    handle(context, request, exchange);
  };
}

json nullable(const std::string& text) {
  return text.empty() ? json() : json(text);
}

Response list_models(const Context& context) {
  json models = json::array();
  for (const auto& model : context.models.all()) {
    const app::LoadedModel& loaded = model->loaded();
    const auto& options = loaded.experiment.model;
    int64_t parameters = 0;
    for (const auto& parameter : loaded.model->parameters()) parameters += parameter.numel();
    models.push_back(
        {{"name", model->name},
         {"source", nullable(model->source_language)},
         {"target", nullable(model->target_language)},
         {"parameters", parameters},
         {"attends", loaded.model->attends()},
         {"heads", options.attention.heads},
         {"attention_layers", layer_heads_json(loaded)},
         {"reads_terms", app::marks_problem(loaded).empty()},
         {"nearest", context.neighbors.has(*model)},
         {"family", model::type_name(options.encoder) + "/" + model::type_name(options.decoder)},
         {"beam", loaded.experiment.decoding.beam},
         {"length_penalty", loaded.experiment.decoding.length_penalty}});
  }
  return {.body = dump({{"models", models}})};
}

Response ready(const std::atomic<bool>& stopping) {
  if (stopping) throw ApiError(503, "stopping", "the server is shutting down");
  return {.type = "text/plain", .body = "ready\n"};
}

std::vector<Route> api_routes(const Context& context) {
  return {
      {"POST", "/v1/translate", "Translate, with n-best list, attention, alternatives and beam",
       later(context, translate)},
      {"POST", "/v1/score", "Log-probability of a given translation", later(context, score)},
      {"POST", "/v1/align", "Links and weights between the words of a pair", later(context, align)},
      {"POST", "/v1/explain", "The source words behind one piece of a translation",
       later(context, explain)},
      {"POST", "/v1/nearest", "Training sentences nearest to a sentence", later(context, nearest)},
      {"GET", "/v1/models", "The models and their properties",
       at_once([&context](const Request&) { return list_models(context); })},
      {"GET", "/v1/runs", "Training runs", later(context, list_runs)},
      {"GET", "/v1/runs/*", "Config and curves of a run", later(context, show_run)},
      {.method = "POST",
       .path = "/translate",
       .meaning = "Translate, as LibreTranslate",
       .handle = later(context, libre_translate),
       .errors = ErrorForm::kText},
      {.method = "POST",
       .path = "/detect",
       .meaning = "Detect the language of a text, as LibreTranslate",
       .handle =
           at_once([&context](const Request& request) { return libre_detect(context, request); }),
       .errors = ErrorForm::kText},
      {.method = "GET",
       .path = "/languages",
       .meaning = "Languages, as LibreTranslate",
       .handle = at_once([&context](const Request&) { return libre_languages(context); }),
       .errors = ErrorForm::kText}};
}

std::vector<Route> service_routes(const Context& context, const std::atomic<bool>& stopping) {
  return {
      {.method = "GET",
       .path = "/healthz",
       .meaning = "Check that the server runs",
       .handle =
           at_once([](const Request&) { return Response{.type = "text/plain", .body = "ok\n"}; }),
       .open = true},
      {.method = "GET",
       .path = "/readyz",
       .meaning = "Check that the server accepts requests",
       .handle = at_once([&stopping](const Request&) { return ready(stopping); }),
       .open = true},
      {"GET", "/metrics", "Metrics for Prometheus", at_once([&context](const Request&) {
         return Response{.type = "text/plain; version=0.0.4", .body = context.statistics.text()};
       })}};
}

/// Paths of LibreTranslate that this server does not have. Errors there have LibreTranslate's form,
/// which its clients expect.
std::vector<Route> absent_libre_routes() {
  std::vector<Route> routes;
  for (const char* path : {"/frontend/settings", "/health", "/suggest", "/translate_file"})
    routes.push_back(
        {.method = "", .path = path, .meaning = "", .handle = {}, .errors = ErrorForm::kText});
  return routes;
}

void append(std::vector<Route>& routes, std::vector<Route> more) {
  for (Route& route : more) routes.push_back(std::move(route));
}

}  // namespace

std::vector<Route> make_routes(const Context& context, const std::atomic<bool>& stopping) {
  std::vector<Route> routes = api_routes(context);
  append(routes, service_routes(context, stopping));
  routes.push_back({"GET", "/v1/openapi.json", "This description", {}});
  const std::string description = openapi(routes);
  routes.back().handle =
      at_once([description](const Request&) { return Response{.body = description}; });
  append(routes, page_routes());
  append(routes, absent_libre_routes());
  return routes;
}

}  // namespace attend::server
