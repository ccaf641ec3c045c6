#include "train/saving/best_weights.h"

#include <fmt/format.h>

#include <map>

#include "core/error.h"
#include "core/number.h"
#include "storage/weights_file.h"
#include "train/saving/readable_file.h"

namespace attend::train {
namespace {

using std::filesystem::path;

std::string value_of(const std::map<std::string, std::string>& metadata, const char* key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : found->second;
}

/// True if a run in this state would validate at this update and write the file again.
bool is_not_recorded_yet(int64_t update, const RunState& state) {
  const bool completed = state.validated == state.update && state.averaged == state.update;
  return update > state.update || (update == state.update && !completed);
}

void check_is_best(const path& file, const RunState& state) {
  const auto metadata = storage::load_metadata(file);
  const std::string score = value_of(metadata, "score");
  const std::string text = value_of(metadata, "update");
  const int64_t update = number_in<int64_t>(text).value_or(-1);
  const bool same =
      update == state.best.update && score == fmt::format("{}", state.best.merit.score);
  if (same || (!score.empty() && is_not_recorded_yet(update, state))) return;
  const auto described = [](const std::string& at, const std::string& with) {
    return fmt::format("update {} {}", at.empty() ? "?" : at,
                       with.empty() ? "without a score" : "with the score " + with);
  };
  throw ModelFileError(
      file, fmt::format("holds other weights (of {}) than the best of the run (of {}); put the "
                        "run's file back, or move this one away to resume without it",
                        described(text, score),
                        described(fmt::format("{}", state.best.update),
                                  fmt::format("{}", state.best.merit.score))));
}

}  // namespace

std::string lost_best_weights(const path& file, const RunState& state, bool scored) {
  const bool has_best = scored ? state.best.any : state.validated >= 0;
  if (!has_best) return "";
  try {
    storage::check_tensors(file);
  } catch (const storage::VersionError&) {
    throw;
  } catch (const ModelFileError& error) {
    check_can_be_read(file, "resume without it");
    return error.what();
  }
  if (scored) check_is_best(file, state);
  return "";
}

}  // namespace attend::train
