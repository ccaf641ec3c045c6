#include "server/runs_api.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "app/experiment.h"
#include "config/load.h"
#include "config/print.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_lock.h"
#include "server/api_error.h"
#include "server/json.h"
#include "storage/model_folder.h"

namespace attend::server {
namespace {

namespace fs = std::filesystem;
namespace names = storage::model_folder;
using nlohmann::json;

constexpr int kDeepestRun = 4;  // folders below the root

/// Folders that training writes to, in the order of their names. What cannot be read is left out.
std::vector<fs::path> run_folders(const fs::path& root) {
  std::vector<fs::path> folders;
  std::error_code failed;
  if (fs::exists(root / names::kHistory, failed)) folders.push_back(root);
  auto entry =
      fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    if (entry.depth() >= kDeepestRun) entry.disable_recursion_pending();
    if (fs::exists(entry->path() / names::kHistory, failed)) folders.push_back(entry->path());
    failed.clear();
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::string name_of(const fs::path& folder, const fs::path& root) {
  if (folder == root)  // also where it is given as "runs/" or "."
    return (fs::absolute(root) / "").lexically_normal().parent_path().filename().string();
  return folder.lexically_relative(root).generic_string();
}

bool is_training(const fs::path& folder) {
  return lock_holder(folder / names::kLock).has_value();
}

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

bool is_type(const json& line, const char* type) {
  return line["type"] == type;
}

/// What can be read of the history of a run, whoever has written to it.
struct RunHistory {
  std::vector<json> lines;  // objects with an update
  int64_t unreadable = 0;   // other lines
  std::string problem;      // why it was not read to its end
};

/// Whether the keys that are read here have the types that training writes.
bool is_history(const json& line) {
  const auto is = [&](const char* key, bool (json::*has_type)() const noexcept, bool needed) {
    const auto found = line.find(key);
    return found == line.end() ? !needed : ((*found).*has_type)();
  };
  return is("update", &json::is_number_integer, true) && is("type", &json::is_string, true) &&
         is("best", &json::is_boolean, false) && is("timing", &json::is_object, false);
}

RunHistory read_run(const fs::path& folder) {
  RunHistory history;
  try {
    LineReader reader(folder / names::kHistory);
    bool cut = false;  // the line before: the last may be about to be written
    while (const auto text = reader.next()) {
      history.unreadable += cut ? 1 : 0;
      json line = json::parse(*text, nullptr, /*allow_exceptions=*/false);
      cut = line.is_discarded();
      if (line.is_object() && is_history(line)) {
        history.lines.push_back(std::move(line));
      } else if (!cut) {
        ++history.unreadable;
      }
    }
  } catch (const UserError& error) {
    history.problem = error.what();
  }
  return history;
}

/// What was wrong with it, for the answer.
void add_complaints(const RunHistory& history, json& run) {
  if (history.unreadable > 0) run["unreadable_lines"] = history.unreadable;
  if (!history.problem.empty()) run["problem"] = history.problem;
}

/// The validation that was the best so far when it was made, or null.
json best_of(const std::vector<json>& history) {
  json best;
  for (const json& line : history) {
    if (!is_type(line, "validation") || !line.value("best", false)) continue;
    const char* metric = line.contains("bleu") ? "bleu" : "loss";
    best = {{"metric", metric}, {"value", line.value(metric, json())}, {"update", line["update"]}};
  }
  return best;
}

json summary_of(const fs::path& folder, const fs::path& root) {
  const RunHistory history = read_run(folder);
  json summary = {{"name", name_of(folder, root)},
                  {"state", is_training(folder) ? "training" : "stopped"},
                  {"updates", history.lines.empty() ? json(0) : history.lines.back()["update"]},
                  {"best", best_of(history.lines)},
                  {"modified", modified(folder)}};
  add_complaints(history, summary);
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

/// Null where it cannot be read: an older version's, perhaps.
json config_of(const fs::path& folder) {
  try {
    json flat = json::object();
    const auto shown = config::load_to_show<app::Experiment>(folder / names::kConfig, {});
    flatten(config::schema_of<app::Experiment>().write(shown.options), "", flat);
    return flat;
  } catch (const UserError&) {
    return nullptr;
  }
}

json train_point(const json& line) {
  return {{"update", line["update"]},
          {"loss", line.value("loss", json())},
          {"learning_rate", line.value("learning_rate", json())},
          {"tokens_per_second",
           line.value(json::json_pointer("/timing/target_tokens_per_second"), json())}};
}

json validation_point(const json& line) {
  return {{"update", line["update"]},
          {"loss", line.value("loss", json())},
          {"bleu", line.value("bleu", json())}};
}

int64_t after(const Request& request) {
  const auto found = request.query.find("after");
  if (found == request.query.end()) return -1;
  int64_t update = 0;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), update);
  if (error != std::errc() || end != text.data() + text.size())
    throw bad_request("\"after\" must be the number of an update");
  return update;
}

fs::path folder_named(const fs::path& root, const std::string& name) {
  for (const fs::path& folder : run_folders(root)) {
    if (name_of(folder, root) == name) return folder;
  }
  throw ApiError(404, "no_run", fmt::format("there is no run \"{}\"", name));
}

}  // namespace

Response list_runs(const fs::path& root) {
  json runs = json::array();
  if (root.empty()) return {.body = dump({{"runs", runs}})};
  for (const fs::path& folder : run_folders(root)) runs.push_back(summary_of(folder, root));
  return {.body = dump({{"runs", runs}})};
}

Response show_run(const fs::path& root, const Request& request) {
  if (root.empty()) throw ApiError(404, "no_run", "the server was started without --runs");
  const std::string name = request.path.substr(std::string_view(kRunsPath).size());
  const fs::path folder = folder_named(root, name);
  const int64_t newest_known = after(request);
  json run = {{"name", name},
              {"config", config_of(folder)},
              {"train", json::array()},
              {"validation", json::array()}};
  const RunHistory history = read_run(folder);
  add_complaints(history, run);
  for (const json& line : history.lines) {
    if (line["update"].get<int64_t>() <= newest_known) continue;
    if (is_type(line, "train")) run["train"].push_back(train_point(line));
    if (is_type(line, "validation")) run["validation"].push_back(validation_point(line));
  }
  return {.body = dump(run)};
}

}  // namespace attend::server
