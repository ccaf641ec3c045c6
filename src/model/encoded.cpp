#include "model/encoded.h"

namespace attend::model {

Memories select(const Memories& memories, const torch::Tensor& rows) {
  Memories selected;
  for (const nn::PreparedMemory& memory : memories) selected.push_back(memory.select(rows));
  return selected;
}

Memories with_owners(const Memories& memories) {
  Memories result;
  for (const nn::PreparedMemory& memory : memories) result.push_back(memory.with_owners());
  return result;
}

Memories restrict_to(const Memories& memories, const torch::Tensor& columns) {
  Memories result;
  for (const nn::PreparedMemory& memory : memories) result.push_back(memory.restrict_to(columns));
  return result;
}

Encoded Encoded::select(const torch::Tensor& rows) const {
  return {model::select(memories, rows), start.reorder(rows)};
}

}  // namespace attend::model
