#include "train/saving/save_policy.h"

#include <fmt/format.h>

#include "core/error.h"

namespace attend::train {

bool SavePolicy::attempt(const RunPoint& point, const std::function<void()>& write) const {
  try {
    write();
    return true;
  } catch (const UserError& error) {
    if (!continues_ || error.exit_code() != ExitCode::kData) throw;
    observer_.on_save_error({point, fmt::format("{}; the run continues with the previous files "
                                                "(training.on_save_error)",
                                                error.what())});
    return false;
  }
}

}  // namespace attend::train
