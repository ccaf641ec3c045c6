#include "nn/indexed_rows.h"

namespace attend::nn {

std::vector<int64_t> IndexedRows::sizes() const {
  if (!index.defined()) return rows.sizes().vec();
  std::vector<int64_t> sizes = index.sizes().vec();
  sizes.push_back(rows.size(1));
  return sizes;
}

torch::Tensor IndexedRows::all() const {
  return index.defined() ? at::embedding(rows, index) : rows;
}

}  // namespace attend::nn
