#include "decode/scoring/finite.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace attend::decode {
namespace {

void require(bool finite) {
  if (!finite) throw NumericError("the model's output is not finite");
}

}  // namespace

void require_finite(std::span<const double> numbers) {
  require(std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }));
}

void require_finite(const torch::Tensor& numbers) {
  require(numbers.isfinite().all().item<bool>());
}

}  // namespace attend::decode
