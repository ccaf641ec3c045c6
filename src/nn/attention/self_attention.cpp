#include "nn/attention/self_attention.h"

#include <cmath>
#include <optional>

#include "nn/attention/registry.h"
#include "nn/attention/scope/causal_scope.h"
#include "nn/attention/scope/relative_scope.h"
#include "nn/drawing.h"
#include "nn/execution.h"

namespace attend::nn {
namespace {

double relative_factor(ScoreKind score, int64_t size) {
  return score == ScoreKind::dot ? 1.0 : 1.0 / std::sqrt(static_cast<double>(size));
}

AttentionParts parts_of_head(const SelfAttentionOptions& options, ScoreSizes sizes) {
  const AttentionOptions& attention = options.attention;
  AttentionParts parts{make_score(attention, sizes), make_distribution(attention),
                       make_scope(attention, sizes)};
  if (options.positions == PositionKind::relative) {
    parts.scope = std::make_shared<RelativeScope>(
        parts.scope, RelativeScope::Sizes{sizes.query, attention.max_distance},
        relative_factor(attention.score, sizes.query));
  }
  if (options.causal) parts.scope = std::make_shared<CausalScope>(parts.scope);
  return parts;
}

/// Applies rotary positions to queries and keys.
class Placing {
 public:
  Placing(bool rotary, PositionRange range, const torch::Tensor& like) {
    if (rotary) rotation_.emplace(range, like.size(-1), like);
  }
  [[nodiscard]] torch::Tensor placed(const torch::Tensor& x) const {
    return rotation_ ? rotation_->rotated(x) : x;
  }

 private:
  std::optional<Rotation> rotation_;
};

}  // namespace

SelfAttention::SelfAttention(const SelfAttentionOptions& options, int64_t size)
    : rotary_(options.positions == PositionKind::rotary),
      relative_(options.positions == PositionKind::relative),
      windowed_(is_one_of(options.attention.scope, {ScopeKind::local_m, ScopeKind::local_p})),
      heads_(register_module(
          "heads", std::make_shared<Heads>(options.attention.heads, ScoreSizes{size, size}))),
      attention_(register_module(
          "attention", std::make_shared<Attention>(parts_of_head(options, heads_->sizes()),
                                                   heads_->sizes().memory))) {}

Attended SelfAttention::attend_rows(const torch::Tensor& queries, const PreparedMemory& memory,
                                    int64_t position, double dropout,
                                    AttentionOutputs wanted) const {
  const LinesScope lines(queries.size(0) / heads_->count());
  Attended attended = attention_->attend(queries, memory, {}, position, dropout, wanted);
  attended.context = heads_->join(attended.context);
  attended.heads = heads_->split_rows(attended.weights);
  attended.weights = torch::Tensor();
  return attended;
}

Attended SelfAttention::attend(const torch::Tensor& x, const torch::Tensor& mask,
                               const torch::Tensor& lengths, double dropout,
                               AttentionOutputs wanted) const {
  if (has_whole_form(x)) return attend_whole(x, lengths, {}, dropout, wanted).attended;
  const torch::Tensor queries = heads_->queries(x);
  const Placing place(rotary_, {0, x.size(1)}, queries);
  const Memory rows{place.placed(heads_->keys(x)), heads_->values(x), heads_->repeat(mask),
                    heads_->repeat(lengths)};
  return attend_rows(place.placed(queries), attention_->prepare(rows), 0, dropout, wanted);
}

SelfAttention::Extended SelfAttention::attend_whole(const torch::Tensor& x,
                                                    const torch::Tensor& lengths,
                                                    const KeyValueCache& cache, double dropout,
                                                    AttentionOutputs wanted) const {
  const int64_t position = cache.length();
  const Heads::Split split = heads_->split_all(x);
  const Placing place(rotary_, {position, x.size(1)}, split.queries);
  const KeyValueCache all =
      cache.extended({attention_->prepared_heads(place.placed(split.keys)), split.values});
  Attended attended = attention_->attend_whole(
      {place.placed(split.queries), all.keys, all.values, lengths, position}, dropout, wanted);
  attended.context = heads_->join_split(attended.context);
  return {std::move(attended), all};
}

AddedVectors SelfAttention::added(const torch::Tensor& x) const {
  const torch::Tensor vectors = heads_->outputs(heads_->split_rows(heads_->values(x)));
  if (!relative_) return [vectors](int64_t) { return vectors; };
  const torch::Tensor offsets = attention_->value_offsets(heads_->queries(x));  // [S, S, C / h]
  return [heads = heads_, vectors, offsets](int64_t i) {
    return vectors + heads->outputs(offsets[i].expand({1, heads->count(), -1, -1}));
  };
}

std::vector<std::string> SelfAttention::plain_reasons() const {
  std::vector<std::string> reasons = attention_->whole_reasons();
  for (std::string& reason : reasons) {
    if (reason.starts_with("attention.")) reason.insert(0, "layer_");
  }
  return reasons;
}

bool SelfAttention::has_whole_form(const torch::Tensor& x) const {
  // Self-attention is never forced, so masks hide no more positions than lengths do.
  return attention_->has_whole_heads(x);
}

bool SelfAttention::has_step_form(const torch::Tensor& x) const {
  return x.size(1) == 1 && is_search(x) && !is_training() && attention_->is_dot_softmax();
}

SelfAttention::ExtendedHistory SelfAttention::extend_history(const torch::Tensor& x,
                                                             const fused::StepHistory& history,
                                                             const torch::Tensor& ancestors,
                                                             AttentionOutputs wanted) const {
  const torch::Tensor rows = x.squeeze(1);
  const int64_t heads = heads_->count();
  torch::Tensor query = heads_->query_rows(rows), keys = heads_->key_rows(rows);
  if (rotary_) {
    const auto split = [heads](const torch::Tensor& row) {
      return row.unflatten(1, {heads, 1, -1});
    };
    const Placing place(rotary_, {ancestors.size(1) - 1, 1}, split(keys));
    query = place.placed(split(query)).flatten(1);
    keys = place.placed(split(keys)).flatten(1);
  }
  ExtendedHistory extended{{}, {}, history};
  extended.history.keys.push_back(attention_->prepared_rows(keys, heads));
  extended.history.values.push_back(heads_->value_rows(rows));
  const fused::StepOutput output =
      fused::step_attention({query, heads, wanted == AttentionOutputs::weights,
                             ancestors.size(1) - 1, attention_->distance_bias()},
                            extended.history, ancestors);
  extended.context = heads_->output(output.context).unsqueeze(1);
  if (output.weights.defined()) extended.weights = output.weights.unsqueeze(2);
  return extended;
}

KeyValueCache SelfAttention::cache_of(const fused::StepHistory& history,
                                      const torch::Tensor& ancestors) const {
  const auto gathered = [&](const std::vector<torch::Tensor>& steps) {
    std::vector<torch::Tensor> rows;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const torch::Tensor from = ancestors.select(1, static_cast<int64_t>(s));
      rows.push_back(steps[s].index_select(0, from).unflatten(1, {heads_->count(), -1}));
    }
    return at::stack(rows, 2);  // [N, h, t, C / h]
  };
  return {gathered(history.keys), gathered(history.values)};
}

SelfAttention::Extended SelfAttention::extend(const torch::Tensor& x, const KeyValueCache& cache,
                                              double dropout, AttentionOutputs wanted) const {
  if (has_whole_form(x)) {
    // Padding at the end needs no lengths: earlier positions do not see it.
    const torch::Tensor all = torch::full({1}, cache.length() + x.size(1),
                                          x.options().dtype(torch::kInt64).requires_grad(false));
    return attend_whole(x, all, cache, dropout, wanted);
  }
  const int64_t position = cache.length();
  const torch::Tensor queries = heads_->queries(x);
  const Placing place(rotary_, {position, x.size(1)}, queries);
  const PreparedMemory added =
      attention_->prepare({place.placed(heads_->keys(x)), heads_->values(x), {}, {}});
  const KeyValueCache all =
      cache.extended({heads_->split_rows(added.keys), heads_->split_rows(added.memory.values)});
  const torch::Tensor keys = Heads::merge_rows(all.keys), values = Heads::merge_rows(all.values);
  const int64_t rows = windowed_ ? keys.size(0) : 1;
  // Padding at the end needs no mask: earlier positions do not see it.
  const torch::Tensor mask = torch::ones({rows, keys.size(1)}, keys.options().dtype(torch::kBool));
  const torch::Tensor lengths =
      torch::full({rows}, keys.size(1), keys.options().dtype(torch::kInt64));
  return {attend_rows(place.placed(queries), {{keys, values, mask, lengths}, keys, {}, {}},
                      position, dropout, wanted),
          all};
}

}  // namespace attend::nn
