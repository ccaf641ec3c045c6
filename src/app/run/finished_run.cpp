#include "app/run/finished_run.h"

#include "app/config/experiment.h"
#include "config/load.h"
#include "core/error.h"
#include "storage/model_folder.h"
#include "train/limits.h"
#include "train/saving/checkpoint.h"

namespace attend::app {

bool is_finished(const std::filesystem::path& folder) {
  namespace names = storage::model_folder;
  try {
    const auto trained = config::load_trained<Experiment>(folder / names::kConfig);
    const train::RunState state = train::load_counters(folder / names::kLastState);
    // A run ends after a validation, and saves its state then.
    return state.validated == state.update && !train::end_reason(trained.training, state).empty();
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace attend::app
