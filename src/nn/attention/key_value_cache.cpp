#include "nn/attention/key_value_cache.h"

namespace attend::nn {

int64_t KeyValueCache::length() const {
  return values.defined() ? values.size(2) : 0;
}

KeyValueCache KeyValueCache::select(const torch::Tensor& rows) const {
  if (!values.defined()) return *this;
  return {keys.index_select(0, rows), values.index_select(0, rows)};
}

KeyValueCache KeyValueCache::extended(const KeyValueCache& more) const {
  if (!values.defined()) return more;
  return {at::cat({keys, more.keys}, 2), at::cat({values, more.values}, 2)};
}

}  // namespace attend::nn
