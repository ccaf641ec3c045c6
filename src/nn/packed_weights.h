#pragma once
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <tuple>

#include "kernels/product/packed_weight.h"

namespace attend::nn {

/// Weights of a model that does not change any more, each packed when it is first multiplied by.
/// Put into an ExecutionScope, they take the place of the plain ones in products that need no
/// gradient. For several threads at once, so that all that decode with the model share them.
class PackedWeights {
 public:
  /// Requires: kernels::has_packed(type).
  explicit PackedWeights(kernels::WeightType type) : type_(type) {}

  /// `weight` [out, in] float on the CPU, with rows without gaps inside; it may be a part of
  /// another. Its memory is kept, so that it stays known by its address. What is returned lasts as
  /// long as this object.
  [[nodiscard]] const kernels::PackedWeight& of(const torch::Tensor& weight);
  [[nodiscard]] kernels::WeightType type() const { return type_; }

 private:
  struct Entry {
    torch::Tensor plain;
    kernels::PackedWeight packed;
  };
  using Key = std::tuple<const float*, int64_t, int64_t, int64_t>;  // data, rows, columns, stride

  [[nodiscard]] const kernels::PackedWeight* find(const Key& key) const;

  kernels::WeightType type_;
  mutable std::shared_mutex
      mutex_;  // guards the entries; one that is there stays where and as it is
  std::map<Key, Entry> entries_;
};

/// The packed form of `weight` where x W^T may be computed with it: the ExecutionScope has packed
/// weights, no gradient is recorded, and both are float on the CPU; else null.
[[nodiscard]] const kernels::PackedWeight* packed_for(const torch::Tensor& x,
                                                      const torch::Tensor& weight);

/// A packed form of its own of a weight that lasts no longer than its reader, and that packed_for()
/// would keep for ever; null where that gives none for x of the weight's type.
[[nodiscard]] std::unique_ptr<const kernels::PackedWeight> pack_apart(const torch::Tensor& weight);

/// x [..., in] -> x W^T [..., out].
[[nodiscard]] torch::Tensor multiply(const torch::Tensor& x, const kernels::PackedWeight& weight);

/// sum [N, out] + x W^T for x [N, in].
[[nodiscard]] torch::Tensor multiply_added(const torch::Tensor& sum, const torch::Tensor& x,
                                           const kernels::PackedWeight& weight);

}  // namespace attend::nn
