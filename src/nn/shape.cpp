#include "nn/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace attend::nn {
namespace {

bool matches(torch::IntArrayRef actual, std::initializer_list<int64_t> expected) {
  return std::equal(actual.begin(), actual.end(), expected.begin(), expected.end(),
                    [](int64_t have, int64_t want) { return want == kAny || have == want; });
}

std::string describe(std::initializer_list<int64_t> extents) {
  std::vector<std::string> parts;
  for (const int64_t extent : extents) {
    parts.push_back(extent == kAny ? "*" : std::to_string(extent));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

}  // namespace

void check_shape(torch::IntArrayRef sizes, std::initializer_list<int64_t> expected,
                 std::string_view name) {
  if (matches(sizes, expected)) return;
  throw ShapeError(fmt::format("{}: expected {}, got [{}]", name, describe(expected),
                               fmt::join(sizes.begin(), sizes.end(), ", ")));
}

void check_shape(const torch::Tensor& tensor, std::initializer_list<int64_t> expected,
                 std::string_view name) {
  check_shape(tensor.sizes(), expected, name);
}

}  // namespace attend::nn
