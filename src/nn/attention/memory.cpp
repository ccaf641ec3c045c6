#include "nn/attention/memory.h"

namespace attend::nn {

Memory Memory::select(const torch::Tensor& rows) const {
  const torch::Tensor selected_keys = keys.index_select(0, rows);
  return {selected_keys, values.is_same(keys) ? selected_keys : values.index_select(0, rows),
          mask.index_select(0, rows), lengths.index_select(0, rows)};
}

PreparedMemory PreparedMemory::select(const torch::Tensor& rows) const {
  const Memory selected = memory.select(rows);
  if (!keys.defined()) return {selected, {}};
  return {selected, keys.is_same(memory.keys) ? selected.keys : keys.index_select(0, rows)};
}

}  // namespace attend::nn
