#include "nn/attention/attention.h"

#include "nn/attention/registry.h"
#include "nn/dropout.h"

namespace attend::nn {

AttentionState AttentionState::select(const torch::Tensor& rows) const {
  const auto pick = [&rows](const torch::Tensor& x) {
    return x.defined() ? x.index_select(0, rows) : x;
  };
  return {pick(previous), pick(coverage)};
}

Attention::Attention(const AttentionOptions& options, int64_t query_size, int64_t memory_size)
    : memory_size_(memory_size),
      score_(register_module("score", make_score(options, {query_size, memory_size}))),
      distribution_(register_module("distribution", make_distribution(options))),
      scope_(register_module("scope", make_scope(options))) {}

PreparedMemory Attention::prepare(const Memory& memory) const {
  return {memory, score_->prepare(memory)};
}

AttentionState Attention::start(const PreparedMemory& memory) const {
  if (!needs_steps()) return {};
  const torch::Tensor zeros = torch::zeros({memory.memory.keys.size(0), memory.memory.keys.size(1)},
                                           memory.memory.keys.options());
  return {zeros, zeros};
}

Attended Attention::attend(const torch::Tensor& query, const PreparedMemory& memory,
                           const AttentionState& state, int64_t position, double dropout) const {
  const Scoped scoped =
      scope_->apply(score_->energy(query, memory, state), query, memory.memory, position);
  torch::Tensor weights = distribution_->weights(scoped.energies, scoped.mask);  // [N, T, S]
  if (scoped.factor.defined()) weights = weights * scoped.factor;
  const torch::Tensor mixed = nn::dropout(weights, dropout, is_training());
  AttentionState next = state;
  if (needs_steps()) {
    next.previous = weights.squeeze(1);
    next.coverage = state.coverage + next.previous;
  }
  return {at::bmm(mixed, memory.memory.values), weights, {}, next};
}

bool Attention::needs_steps() const {
  return score_->reads_history();
}

}  // namespace attend::nn
