#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace attend::train {

/// The position of a parameter and its gradient in the buffers.
struct ParameterSlot {
  torch::Tensor parameter;
  int64_t begin = 0;

  [[nodiscard]] int64_t end() const { return begin + parameter.numel(); }
  [[nodiscard]] torch::Tensor in(const torch::Tensor& buffer) const {
    return buffer.narrow(0, begin, parameter.numel()).view(parameter.sizes());
  }
};

/// Allocates a buffer of `size` zeros.
using MakeZeros = std::function<torch::Tensor(int64_t size, const torch::TensorOptions& options)>;

/// All parameters of a module as one vector, and their gradients as another. The parameters become
/// views of the first, so that optimisers, clipping, averaging and saving are a few operations on
/// whole buffers. Parameters start at multiples of 64 bytes; the gaps stay zero.
class FlatParameters {
 public:
  /// Requires: all parameters have one type and device, and do not move afterwards. `zeros`
  /// allocates the two buffers; empty: torch::zeros().
  explicit FlatParameters(torch::nn::Module& module, const MakeZeros& zeros = {});

  [[nodiscard]] const torch::Tensor& values() const { return values_; }        // [P]
  [[nodiscard]] const torch::Tensor& gradients() const { return gradients_; }  // [P]

  /// One slot per parameter, in the order of the buffers.
  [[nodiscard]] const std::vector<ParameterSlot>& slots() const { return slots_; }

  /// Number of parameters without the gaps; a shared parameter counts once.
  [[nodiscard]] int64_t count() const { return count_; }
  /// Names and shapes in order; equal layouts have interchangeable buffers.
  [[nodiscard]] const std::string& layout() const { return layout_; }

 private:
  torch::Tensor values_;
  torch::Tensor gradients_;
  std::vector<ParameterSlot> slots_;
  int64_t count_ = 0;
  std::string layout_;
};

/// Replaces the values of the parameters during its lifetime.
class BorrowedValues {
 public:
  BorrowedValues(const FlatParameters& parameters, const torch::Tensor& values);
  ~BorrowedValues();
  BorrowedValues(const BorrowedValues&) = delete;
  BorrowedValues& operator=(const BorrowedValues&) = delete;

 private:
  torch::Tensor target_;
  torch::Tensor own_;
};

}  // namespace attend::train
