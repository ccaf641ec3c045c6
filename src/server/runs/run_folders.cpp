#include "server/runs/run_folders.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "app/model/output_directory.h"
#include "app/run/finished_run.h"
#include "core/excerpt.h"
#include "core/file_lock.h"
#include "server/http/api_error.h"
#include "storage/model_folder.h"

namespace attend::server {
namespace {

namespace fs = std::filesystem;
namespace names = storage::model_folder;

constexpr int kDeepestRun = 4;  // folders below the root

/// Folders with a history. Skips folders that cannot be read, and symlinks, which could lead out of
/// the root.
std::vector<fs::path> run_folders(const fs::path& root) {
  std::vector<fs::path> folders;
  std::error_code failed;
  if (fs::exists(fs::symlink_status(root / names::kHistory, failed))) folders.push_back(root);
  auto entry =
      fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    if (entry.depth() >= kDeepestRun) entry.disable_recursion_pending();
    const bool is_folder = fs::is_directory(entry->symlink_status(failed));
    if (is_folder && fs::exists(fs::symlink_status(entry->path() / names::kHistory, failed)))
      folders.push_back(entry->path());
    failed.clear();
  }
  return folders;
}

}  // namespace

TrainingRun::TrainingRun(const fs::path& folder)
    : folder_(folder), history_(folder / names::kHistory) {}

void TrainingRun::refresh() {
  history_.refresh();
}

const char* TrainingRun::state() {
  if (stamp_of(folder_ / names::kLock) && lock_holder(folder_ / names::kLock)) return "training";
  const std::array now = {stamp_of(folder_ / names::kConfig),
                          stamp_of(folder_ / names::kLastState)};
  if (now != seen_) finished_ = now[0] && now[1] && app::is_finished(folder_);
  seen_ = now;
  return finished_ ? "finished" : "stopped";
}

RunFolders::RunFolders(fs::path root) : root_(std::move(root)) {}

void RunFolders::find() {
  if (root_.empty()) return;
  std::map<fs::path, TrainingRun> found;
  for (const fs::path& folder : run_folders(root_)) {
    auto known = runs_.extract(folder);
    if (known.empty()) {
      found.try_emplace(folder, folder);
    } else {
      found.insert(std::move(known));
    }
  }
  runs_ = std::move(found);
}

std::map<fs::path, TrainingRun>& RunFolders::all() {
  find();
  for (auto& [folder, run] : runs_) run.refresh();
  return runs_;
}

TrainingRun& RunFolders::named(const std::string& name) {
  if (root_.empty()) throw ApiError(404, "no_run", "the server was started without --runs");
  find();
  for (auto& [folder, run] : runs_) {
    if (name_of(folder) != name) continue;
    run.refresh();
    return run;
  }
  throw ApiError(404, "no_run", fmt::format("unknown run \"{}\"", excerpt(name)));
}

std::string RunFolders::name_of(const fs::path& folder) const {
  if (folder == root_)  // the root may have been given as "runs/" or "."
    return app::full_folder_name(root_).filename().string();
  return folder.lexically_relative(root_).generic_string();
}

}  // namespace attend::server
