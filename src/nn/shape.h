#pragma once
// Letters in shape comments: B batch, S source length, T target length, E embedding, H
// decoder hidden, C memory (encoder output), A attention inner size, K beam, N rows of a decoding
// step, L layers, V vocabulary. Batch first. Masks are bool, true = real token. Extents are
// int64_t.
#include <torch/types.h>

#include <initializer_list>
#include <string_view>

namespace attend::nn {

/// Matches any extent in check_shape.
inline constexpr int64_t kAny = -1;

/// Throws ShapeError "keys: expected [4, 7, *], got [7, 4, 16]" unless `tensor` has the shape.
void check_shape(const torch::Tensor& tensor, std::initializer_list<int64_t> expected,
                 std::string_view name);
/// check_shape() for the sizes of a tensor.
void check_shape(torch::IntArrayRef sizes, std::initializer_list<int64_t> expected,
                 std::string_view name);

/// Thrown if a block gets a tensor of the wrong shape, which is a bug in our code, not a user
/// error.
class ShapeError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace attend::nn
