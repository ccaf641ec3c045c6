#include "server/api/handlers.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/config/experiment.h"
#include "config/load.h"
#include "config/print.h"
#include "core/error.h"
#include "core/number.h"
#include "server/api/answer_task.h"
#include "server/http/api_error.h"
#include "storage/model_folder.h"

namespace attend::server {
namespace {

namespace fs = std::filesystem;
namespace names = storage::model_folder;
using nlohmann::json;

std::string modified(const fs::path& folder) {
  std::error_code failed;
  const auto written = fs::last_write_time(folder / names::kHistory, failed);
  if (failed) return "";
  const auto system = std::chrono::file_clock::to_sys(written);
  return fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(
          std::chrono::time_point_cast<std::chrono::system_clock::duration>(system))));
}

/// Adds the problems of a history to the answer.
void add_complaints(const RunHistory& history, json& run) {
  if (history.curves().unreadable > 0) run["unreadable_lines"] = history.curves().unreadable;
  if (!history.problem().empty()) run["problem"] = history.problem();
}

json best_json(const std::optional<BestValidation>& best) {
  if (!best) return nullptr;
  return {{"metric", best->metric}, {"value", best->value}, {"update", best->update}};
}

json summary_of(TrainingRun& run, const std::string& name) {
  const RunCurves& curves = run.history().curves();
  json summary = {{"name", name},
                  {"state", run.state()},
                  {"updates", curves.updates},
                  {"best", best_json(curves.best)},
                  {"modified", modified(run.folder())}};
  add_complaints(run.history(), summary);
  return summary;
}

void flatten(const config::Node& node, const std::string& key, json& flat) {
  if (node.kind != config::Node::Kind::kMapping) {
    flat[key] = config::to_flow(node);
    return;
  }
  for (const auto& entry : node.entries)
    flatten(entry.value, key.empty() ? entry.key : key + "." + entry.key, flat);
}

/// The config of a run; null if it cannot be read, perhaps because it is from another version.
json config_of(const fs::path& folder) {
  if (!stamp_of(folder / names::kConfig)) return nullptr;
  try {
    json flat = json::object();
    const auto trained = config::load_trained<app::Experiment>(folder / names::kConfig);
    flatten(config::schema_of<app::Experiment>().write(trained), "", flat);
    return flat;
  } catch (const UserError&) {
    return nullptr;
  }
}

// Unknown numbers are NaN, which becomes null in JSON.

json point_json(const TrainPoint& point) {
  return {{"update", point.update},
          {"loss", point.loss},
          {"learning_rate", point.learning_rate},
          {"tokens_per_second", point.tokens_per_second}};
}

json point_json(const ValidationPoint& point) {
  return {{"update", point.update}, {"loss", point.loss}, {"bleu", point.bleu}};
}

template <class Point>
json points_after(const std::vector<Point>& points, int64_t newest_known) {
  json list = json::array();
  for (const Point& point : points) {
    if (point.update > newest_known) list.push_back(point_json(point));
  }
  return list;
}

int64_t after(const Request& request) {
  const auto found = request.query.find("after");
  if (found == request.query.end()) return -1;
  const auto update = number_in<int64_t>(found->second);
  if (!update) throw bad_request("\"after\" must be the number of an update");
  return *update;
}

json all_runs(RunFolders& folders) {
  json runs = json::array();
  for (auto& [folder, run] : folders.all())
    runs.push_back(summary_of(run, folders.name_of(folder)));
  return {{"runs", std::move(runs)}};
}

json one_run(RunFolders& folders, const std::string& name, int64_t newest_known) {
  const TrainingRun& run = folders.named(name);
  const RunCurves& curves = run.history().curves();
  json answer = {{"name", name},
                 {"config", config_of(run.folder())},
                 {"train", points_after(curves.train, newest_known)},
                 {"validation", points_after(curves.validation, newest_known)}};
  add_complaints(run.history(), answer);
  return answer;
}

}  // namespace

void list_runs(const Context& context, const Request& /*request*/, const SharedExchange& exchange) {
  context.runs_thread.add(
      answer_task(exchange, [&folders = context.runs] { return all_runs(folders); }));
}

void show_run(const Context& context, const Request& request, const SharedExchange& exchange) {
  const std::string name = request.path.substr(std::string_view(kRunsPath).size());
  const int64_t newest_known = after(request);
  context.runs_thread.add(answer_task(exchange, [&folders = context.runs, name, newest_known] {
    return one_run(folders, name, newest_known);
  }));
}

}  // namespace attend::server
