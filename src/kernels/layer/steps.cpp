#include "kernels/layer/steps.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace attend::kernels {

Steps::Steps(const std::vector<int64_t>& rows) {
  if (rows.empty() || !std::is_sorted(rows.begin(), rows.end(), std::greater<>())) {
    throw std::logic_error(
        "Steps: expected at least one step, and no more rows than in the step before");
  }
  begins_ = {-rows.front(), 0};
  for (const int64_t of_step : rows) begins_.push_back(begins_.back() + of_step);
}

}  // namespace attend::kernels
