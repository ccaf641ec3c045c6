#include "nn/attention/heads.h"

#include <fmt/format.h>

#include "core/error.h"
#include "nn/device/linear.h"
#include "nn/execution.h"
#include "nn/fused/linear.h"

namespace attend::nn {
namespace {

void require_divisor(int64_t count, int64_t size) {
  if (size % count == 0) return;
  throw ConfigError(fmt::format(
      "model.attention.heads: {} heads cannot share the {} features of the encoder's output "
      "(model.encoder.hidden, twice if bidirectional) evenly; choose a divisor of {}",
      count, size, size));
}

}  // namespace

Heads::Heads(int64_t count, ScoreSizes sizes) : count_(count), memory_size_(sizes.memory) {
  require_divisor(count, sizes.memory);
  const auto projection = [&](const char* name, int64_t inputs) {
    return register_module(name, std::make_shared<Linear>(inputs, memory_size_, /*bias=*/false));
  };
  query_ = projection("query", sizes.query);
  key_ = projection("key", memory_size_);
  value_ = projection("value", memory_size_);
  output_ = projection("output", memory_size_);
}

ScoreSizes Heads::sizes() const {
  return {memory_size_ / count_, memory_size_ / count_};
}

torch::Tensor Heads::split_features(const torch::Tensor& x) const {
  return with_heads(x).flatten(0, 1);
}

torch::Tensor Heads::with_heads(const torch::Tensor& x) const {
  return x.unflatten(2, {count_, memory_size_ / count_}).transpose(1, 2);
}

std::array<torch::Tensor, 3> Heads::products(const torch::Tensor& x,
                                             const std::array<torch::Tensor, 3>& weights,
                                             device::ResultType result) const {
  if (fused::has_fused_linear(x)) return fused::linears(x, weights);
  if (has_device_forms(x)) return device::linears(x, weights, result);
  std::array<torch::Tensor, 3> results;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (weights[i].defined()) results[i] = nn::linear(x, weights[i]);
  }
  return results;
}

torch::Tensor Heads::split_queries(const torch::Tensor& query) const {
  if (!has_device_forms(query)) return with_heads(query_->forward(query));
  return with_heads(device::linear(query, query_->weight(), {}, device::ResultType::bf16));
}

Heads::Split Heads::split_keys_and_values(const Memory& memory, device::ResultType result) const {
  if (!memory.values.is_same(memory.keys)) {
    return {{}, with_heads(key_->forward(memory.keys)), with_heads(value_->forward(memory.values))};
  }
  const auto [keys, values, none] =
      products(memory.keys, {key_->weight(), value_->weight(), {}}, result);
  return {{}, with_heads(keys), with_heads(values)};
}

Heads::Split Heads::split_all(const torch::Tensor& x) const {
  const auto [queries, keys, values] =
      products(x, {query_->weight(), key_->weight(), value_->weight()}, device::ResultType::bf16);
  return {with_heads(queries), with_heads(keys), with_heads(values)};
}

torch::Tensor Heads::query_rows(const torch::Tensor& x) const {
  return query_->forward(x);
}
torch::Tensor Heads::key_rows(const torch::Tensor& x) const {
  return key_->forward(x);
}
torch::Tensor Heads::value_rows(const torch::Tensor& x) const {
  return value_->forward(x);
}
torch::Tensor Heads::output(const torch::Tensor& contexts) const {
  return output_->forward(contexts);
}

torch::Tensor Heads::join_split(const torch::Tensor& contexts) const {
  return output_->forward(contexts.transpose(1, 2).flatten(2));
}

torch::Tensor Heads::outputs(const torch::Tensor& values) const {
  const torch::Tensor of_heads =
      output_->weight().unflatten(1, {count_, memory_size_ / count_}).permute({1, 2, 0});
  return at::matmul(values.to(of_heads.dtype()), of_heads);  // [N, h, S, C / h] [h, C / h, C]
}

torch::Tensor Heads::repeat(const torch::Tensor& x) const {
  // Passing the size of the result saves a synchronisation with the device.
  return x.repeat_interleave(count_, 0, x.size(0) * count_);
}

torch::Tensor Heads::split_rows(const torch::Tensor& rows) const {
  return rows.defined() ? rows.unflatten(0, {rows.size(0) / count_, count_}) : rows;
}

torch::Tensor Heads::merge_rows(const torch::Tensor& split) {
  return split.defined() ? split.flatten(0, 1) : split;
}

torch::Tensor Heads::queries(const torch::Tensor& query) const {
  return split_features(query_->forward(query));
}

fused::LoopValue Heads::queries(fused::Loop& loop, fused::LoopValue query) const {
  const fused::LoopValue projected = loop.computed(memory_size_);
  loop.linear(query, query_->weight(), projected);
  return fused::Loop::split(projected, count_);
}

fused::LoopValue Heads::join(fused::Loop& loop, fused::LoopValue contexts) const {
  const fused::LoopValue joined = loop.computed(memory_size_);
  loop.linear(fused::Loop::split(contexts, 1), output_->weight(), joined);
  return joined;
}

torch::Tensor Heads::keys(const torch::Tensor& x) const {
  return split_features(key_->forward(x));
}

torch::Tensor Heads::values(const torch::Tensor& x) const {
  return split_features(value_->forward(x));
}

Memory Heads::project(const Memory& memory) const {
  return {keys(memory.keys), values(memory.values), repeat(memory.mask), repeat(memory.lengths)};
}

PreparedMemory Heads::rows(const PreparedMemory& memory) const {
  const torch::Tensor keys = merge_rows(memory.keys);
  return {
      {keys, merge_rows(memory.values), repeat(memory.memory.mask), repeat(memory.memory.lengths)},
      keys,
      {},
      {}};
}

torch::Tensor Heads::join(const torch::Tensor& contexts) const {
  return output_->forward(split_rows(contexts).transpose(1, 2).flatten(2));
}

}  // namespace attend::nn
