#include "nn/attention/memory.h"

namespace attend::nn {
namespace {

torch::Tensor pick(const torch::Tensor& x, const torch::Tensor& rows) {
  return x.defined() ? x.index_select(0, rows) : x;
}

}  // namespace

Memory Memory::select(const torch::Tensor& rows) const {
  const torch::Tensor selected_keys = keys.index_select(0, rows);
  return {selected_keys, values.is_same(keys) ? selected_keys : values.index_select(0, rows),
          mask.index_select(0, rows), lengths.index_select(0, rows)};
}

PreparedMemory PreparedMemory::select(const torch::Tensor& rows) const {
  const Memory selected = memory.select(rows);
  return {selected, keys.is_same(memory.keys) ? selected.keys : pick(keys, rows),
          pick(values, rows)};
}

}  // namespace attend::nn
