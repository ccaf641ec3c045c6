#pragma once
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <tuple>

#include "kernels/product/packed_weight.h"

namespace attend::nn {

/// Packed weights of a constant model, each packed on its first use. In an ExecutionScope they
/// replace the plain weights in products without a gradient. Thread-safe, so that all threads that
/// decode with the model share them.
class PackedWeights {
 public:
  /// Requires: kernels::has_packed(type).
  explicit PackedWeights(kernels::WeightType type) : type_(type) {}

  /// Packs `weight` [out, in], or returns it from the cache. `weight` is float on the CPU with
  /// contiguous rows, and may be a slice of another tensor. Its address is its key, so its memory
  /// is kept alive. The result is valid as long as this object.
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
  mutable std::shared_mutex mutex_;  // guards the map; entries never move or change
  std::map<Key, Entry> entries_;
};

/// The packed form of `weight` for x W^T; null unless the ExecutionScope has packed weights, no
/// gradient is recorded, and `x` and `weight` are float on the CPU.
[[nodiscard]] const kernels::PackedWeight* packed_for(const torch::Tensor& x,
                                                      const torch::Tensor& weight);

/// Packs a temporary weight without caching it; packed_for() would keep it for ever. Null under the
/// same conditions as packed_for().
[[nodiscard]] std::unique_ptr<const kernels::PackedWeight> pack_temporary(
    const torch::Tensor& weight);

/// x [..., in] -> x W^T [..., out].
[[nodiscard]] torch::Tensor multiply(const torch::Tensor& x, const kernels::PackedWeight& weight);

/// sum [N, out] + x W^T for x [N, in].
[[nodiscard]] torch::Tensor multiply_added(const torch::Tensor& sum, const torch::Tensor& x,
                                           const kernels::PackedWeight& weight);

}  // namespace attend::nn
