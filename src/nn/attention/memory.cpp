#include "nn/attention/memory.h"

namespace attend::nn {
namespace {

torch::Tensor pick(const torch::Tensor& x, const torch::Tensor& rows) {
  return x.defined() ? x.index_select(0, rows) : x;
}

}  // namespace

Memory Memory::select(const torch::Tensor& rows) const {
  const torch::Tensor selected_keys = keys.index_select(0, rows);
  return {selected_keys,
          values.is_same(keys) ? selected_keys : values.index_select(0, rows),
          mask.index_select(0, rows),
          lengths.index_select(0, rows),
          pick(columns, rows),
          pick(group_keys, rows)};
}

PreparedMemory PreparedMemory::select(const torch::Tensor& rows) const {
  if (owners.defined())
    return {
        memory, keys, values, owners.index_select(0, rows), group_keys, pick(forced_weights, rows)};
  const Memory selected = memory.select(rows);
  return {selected,
          keys.is_same(memory.keys) ? selected.keys : pick(keys, rows),
          pick(values, rows),
          {},
          pick(group_keys, rows),
          pick(forced_weights, rows)};
}

PreparedMemory PreparedMemory::with_owners() const {
  if (owners.defined()) return *this;
  PreparedMemory result = *this;
  result.owners = torch::arange(memory.keys.size(0), memory.lengths.options());
  return result;
}

PreparedMemory PreparedMemory::copy_per_reader() const {
  if (!owners.defined()) return *this;
  PreparedMemory result = PreparedMemory{memory, keys, values, {}, group_keys}.select(owners);
  result.forced_weights = forced_weights;
  return result;
}

PreparedMemory PreparedMemory::restrict_to(const torch::Tensor& columns) const {
  PreparedMemory result = copy_per_reader();
  const torch::Tensor places = torch::arange(result.memory.mask.size(1), columns.options());
  const torch::Tensor wanted = columns.unsqueeze(1);  // [N, 1]
  result.memory.mask = torch::where(wanted < 0, result.memory.mask, places.unsqueeze(0) == wanted);
  return result;
}

std::vector<torch::Tensor> PreparedMemory::vectors() const {
  return {memory.keys, memory.values, memory.group_keys, keys, values, group_keys};
}

PreparedMemory PreparedMemory::with_vectors(const std::vector<torch::Tensor>& vectors) const {
  PreparedMemory result = *this;
  result.memory.keys = vectors.at(0);
  result.memory.values = vectors.at(1);
  result.memory.group_keys = vectors.at(2);
  result.keys = vectors.at(3);
  result.values = vectors.at(4);
  result.group_keys = vectors.at(5);
  return result;
}

}  // namespace attend::nn
