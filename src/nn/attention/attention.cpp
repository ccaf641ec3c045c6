#include "nn/attention/attention.h"

#include <stdexcept>

#include "nn/attention/groups.h"
#include "nn/attention/heads.h"
#include "nn/attention/mixing.h"
#include "nn/attention/registry.h"
#include "nn/attention/scope/fused_scope.h"
#include "nn/attention/source_mixture.h"
#include "nn/device/head_attention.h"
#include "nn/dropout.h"
#include "nn/execution.h"
#include "nn/fused/head_attention.h"
#include "nn/fused/step_attention.h"

namespace attend::nn {
namespace {

torch::Tensor sum_over_heads(const Heads& heads, const torch::Tensor& rows) {
  return rows.defined() ? heads.split_rows(rows).sum(1) : rows;
}

/// Concatenates the results of single queries.
Attended joined(const std::vector<Attended>& steps) {
  const auto join = [&steps](const auto& part, int64_t dimension) {
    std::vector<torch::Tensor> parts;
    for (const Attended& step : steps) parts.push_back(part(step));
    return parts.front().defined() ? at::cat(parts, dimension) : torch::Tensor();
  };
  return {join([](const Attended& step) { return step.context; }, 1),
          join([](const Attended& step) { return step.weights; }, 1),
          join([](const Attended& step) { return step.heads; }, 2),
          steps.back().state,
          {join([](const Attended& step) { return step.drawn.log_prob; }, 1),
           join([](const Attended& step) { return step.drawn.entropy; }, 1)}};
}

}  // namespace

Attention::Attention(const AttentionOptions& options, int64_t query_size, int64_t memory_size,
                     Projections projections, const Grouping& grouping)
    : memory_size_(memory_size) {
  ScoreSizes sizes{query_size, memory_size};
  if (options.heads > 1 || projections == Projections::always) {
    heads_ = register_module("heads", std::make_shared<Heads>(options.heads, sizes));
    sizes = heads_->sizes();
  }
  register_parts(
      {make_score(options, sizes), make_distribution(options), make_scope(options, sizes)});
  if (grouping.size > 0) {
    group_score_ = register_module("group_score", make_score(options, {query_size, grouping.size}));
  }
  if (grouping.sources == 1) return;
  sources_ = register_module(
      "sources", std::make_shared<SourceMixture>(grouping.combination, grouping.sources, options,
                                                 ScoreSizes{query_size, memory_size}));
}

Attention::Attention(AttentionParts parts, int64_t memory_size) : memory_size_(memory_size) {
  register_parts(std::move(parts));
}

void Attention::register_parts(AttentionParts parts) {
  score_ = register_module("score", std::move(parts.score));
  distribution_ = register_module("distribution", std::move(parts.distribution));
  scope_ = register_module("scope", std::move(parts.scope));
}

PreparedMemory Attention::prepare(const Memory& memory) const {
  const bool flat = sources_ && sources_->is_flat() && memory.columns.defined();
  const Memory read = flat ? sources_->flattened(memory) : memory;
  Memory seen = read;
  seen.mask = score_->visible(read.mask);
  if (read.columns.defined()) {
    if (sources_) return {seen, sources_->prepare(*score_, read), {}, {}};
    return {seen, score_->prepare(read), {}, {}, group_score_->prepare(groups_as_memory(read))};
  }
  if (!heads_) return {seen, score_->prepare(read), {}, {}};
  if (has_whole_heads(read.keys)) {
    const Heads::Split split = heads_->split_keys_and_values(
        read, is_training() ? device::ResultType::bf16 : device::ResultType::weight);
    return {seen, prepared_heads(split.keys), split.values, {}};
  }
  const Memory rows = heads_->project(read);
  return {seen, heads_->split_rows(score_->prepare(rows)), heads_->split_rows(rows.values), {}};
}

AttentionState Attention::start(const PreparedMemory& memory) const {
  if (!needs_steps()) return {};
  std::vector<int64_t> sizes{memory.memory.keys.size(0), memory.memory.keys.size(1)};
  if (heads_) sizes.insert(sizes.begin() + 1, heads_->count());
  const torch::Tensor zeros = torch::zeros(sizes, memory.memory.keys.options());
  return {zeros, zeros};
}

Attended Attention::attend(const torch::Tensor& query, const PreparedMemory& memory,
                           const AttentionState& state, int64_t position, double dropout,
                           AttentionOutputs wanted) const {
  if (memory.forced_weights.defined()) return attend_forced(memory.copy_per_reader(), state);
  if (has_step_form(query)) return attend_step(query, memory, state, position, wanted);
  if (memory.owners.defined()) {
    return attend(query, memory.copy_per_reader(), state, position, dropout, wanted);
  }
  if (!heads_) return attend_rows(query, memory, state, position, dropout, wanted);
  if (has_whole_form(query)) return attend_heads(query, memory, position, dropout, wanted);
  const LinesScope lines(query.size(0));
  const AttentionState rows{Heads::merge_rows(state.previous), Heads::merge_rows(state.coverage)};
  Attended attended =
      attend_rows(heads_->queries(query), heads_->rows(memory), rows, position, dropout, wanted);
  attended.context = heads_->join(attended.context);
  if (heads_->count() > 1 && attended.weights.defined()) {
    attended.heads = heads_->split_rows(attended.weights);
    attended.weights = attended.heads.mean(1);
  }
  attended.state = {heads_->split_rows(attended.state.previous),
                    heads_->split_rows(attended.state.coverage)};
  attended.drawn = {sum_over_heads(*heads_, attended.drawn.log_prob),
                    sum_over_heads(*heads_, attended.drawn.entropy)};
  return attended;
}

Attended Attention::attend_forced(const PreparedMemory& memory, const AttentionState& state) const {
  if (sources_ && !sources_->is_flat())
    throw std::logic_error("weights cannot be forced on several sources with a context each");
  const torch::Tensor& weights = memory.forced_weights;  // [N, heads, S]
  if (!heads_) {
    return {
        at::bmm(weights, memory.memory.values), weights, {}, next(state, weights.squeeze(1)), {}};
  }
  const torch::Tensor contexts = at::matmul(weights.unsqueeze(2), memory.values);  // [N, h, 1, D]
  return {heads_->join_split(contexts),
          weights.mean(1, /*keepdim=*/true),
          heads_->count() > 1 ? weights.unsqueeze(2) : torch::Tensor(),
          next(state, weights),
          {}};
}

torch::Tensor Attention::added(const PreparedMemory& memory) const {
  if (!heads_) throw std::logic_error("contributions need projected values");
  return heads_->outputs(memory.copy_per_reader().values);
}

torch::Tensor Attention::contributions(const torch::Tensor& weights,
                                       const PreparedMemory& memory) const {
  const torch::Tensor vectors = added(memory).transpose(1, 2);                    // [N, S, h, C]
  const torch::Tensor products = at::matmul(vectors, vectors.transpose(2, 3));    // [N, S, h, h]
  const torch::Tensor mixed = weights.to(vectors.dtype()).permute({0, 3, 2, 1});  // [N, S, T, h]
  const torch::Tensor together = (at::matmul(mixed, products) * mixed).sum(3);    // [N, S, T]
  const torch::Tensor lengths = products.diagonal(0, 2, 3).clamp_min(0).sqrt();   // [N, S, h]
  const torch::Tensor each = mixed * lengths.unsqueeze(2);                        // [N, S, T, h]
  const torch::Tensor norms = at::cat({together.clamp_min(0).sqrt().unsqueeze(3), each}, 3);
  return norms.permute({0, 3, 2, 1});
}

torch::Tensor Attention::value_offsets(const torch::Tensor& queries) const {
  const torch::Tensor mask =
      torch::ones({1, queries.size(1)}, queries.options().dtype(torch::kBool));
  const torch::Tensor lengths =
      torch::full({1}, queries.size(1), mask.options().dtype(torch::kInt64));
  return scope_->make_view(queries, {{}, {}, mask, lengths}, 0).offsets;
}

Attended Attention::attend_in_order(const torch::Tensor& queries, const PreparedMemory& memory,
                                    const AttentionState& state, int64_t position, double dropout,
                                    AttentionOutputs wanted) const {
  const int64_t steps = queries.size(1);
  if (steps == 1 || !needs_steps())
    return attend(queries, memory, state, position, dropout, wanted);
  std::vector<Attended> answers;
  StepsScope drawing;
  for (int64_t t = 0; t < steps; ++t) {
    drawing.begin(t);
    const AttentionState& before = answers.empty() ? state : answers.back().state;
    answers.push_back(attend(queries.narrow(1, t, 1), memory, before, position + t, dropout));
  }
  return joined(answers);
}

Attended Attention::attend_rows(const torch::Tensor& query, const PreparedMemory& memory,
                                const AttentionState& state, int64_t position, double dropout,
                                AttentionOutputs wanted) const {
  if (memory.memory.columns.defined()) {
    return sources_ ? attend_sources(query, memory, state, dropout)
                    : attend_groups(query, memory, state, dropout);
  }
  if (has_whole_form(query)) {
    const auto one_head = [](const torch::Tensor& x) { return x.unsqueeze(1); };
    Attended attended =
        attend_whole({one_head(query), one_head(memory.keys), one_head(memory.memory.values),
                      memory.memory.lengths, position},
                     dropout, wanted);
    if (attended.heads.defined()) attended.weights = attended.heads.squeeze(1);
    return {attended.context.squeeze(1), attended.weights, {}, state, {}};
  }
  const View view = scope_->make_view(query, memory.memory, position);
  Attended attended = Mixing{*score_, *distribution_, is_training() ? dropout : 0.0}.attend(
      query, memory, state, view);
  attended.state = needs_steps() ? next(state, attended.weights.squeeze(1)) : state;
  return attended;
}

Attended Attention::attend_groups(const torch::Tensor& query, const PreparedMemory& memory,
                                  const AttentionState& state, double dropout) const {
  const Groups groups(memory.memory);
  const PreparedMemory level{groups_as_memory(memory.memory), memory.group_keys, {}, {}};
  const torch::Tensor among = distribution_->weights(group_score_->energy(query, level, {}),
                                                     groups.present().unsqueeze(1));  // [N, T, G]
  const torch::Tensor inside = distribution_->weights(
      groups.gathered(score_->energy(query, memory, state)), groups.seen());  // [N, T, G, L]
  const torch::Tensor weights = groups.scattered(inside * among.unsqueeze(3));
  const torch::Tensor mixed = nn::dropout(weights, dropout, is_training());
  return {at::bmm(mixed, memory.memory.values), weights, {}, state, {}};
}

Attended Attention::attend_sources(const torch::Tensor& query, const PreparedMemory& memory,
                                   const AttentionState& state, double dropout) const {
  const Groups groups(memory.memory);
  const torch::Tensor inside =
      distribution_->weights(groups.gathered(sources_->energies(*score_, query, memory)),
                             groups.seen());  // [N, T, K, L]
  const torch::Tensor by_source = nn::dropout(inside.transpose(1, 2), dropout, is_training());
  const torch::Tensor mixed = groups.scattered(by_source.transpose(1, 2));
  const torch::Tensor owner = groups.owner().unsqueeze(1);
  std::vector<torch::Tensor> contexts;
  for (int64_t k = 0; k < groups.present().size(1); ++k) {
    contexts.push_back(at::bmm(mixed * owner.eq(k), memory.memory.values));
  }
  const SourceMixture::Mixed joined =
      sources_->mix(query, torch::stack(contexts, 2), groups.present());
  return {joined.context, groups.scattered(inside * joined.shares.unsqueeze(3)), {}, state, {}};
}

bool Attention::has_whole_form(const torch::Tensor& query) const {
  // Kernels do not read masks, and outside training forced attention may mask real positions.
  return is_training() && has_whole_heads(query);
}

bool Attention::has_whole_heads(const torch::Tensor& like) const {
  return (is_fusible(like) || has_device_forms(like)) && is_dot_softmax();
}

std::vector<std::string> Attention::whole_reasons() const {
  std::vector<std::string> reasons;
  if (needs_steps() || dynamic_cast<const FusedDotScore*>(score_->fused()) == nullptr)
    reasons.emplace_back("attention.score");
  if (!distribution_->is_plain_softmax()) reasons.push_back(distribution_->plain_reason());
  if (!scope_->whole_view()) reasons.push_back(scope_->plain_reason());
  return reasons;
}

bool Attention::is_dot_softmax() const {
  return whole_reasons().empty();
}

bool Attention::has_step_form(const torch::Tensor& query) const {
  // Kernels do not read masks. Forced attention needs masks and therefore runs without fused
  // kernels.
  return heads_ && query.size(1) == 1 && is_search(query) && !is_training() && is_dot_softmax() &&
         !scope_->whole_view()->causal;
}

Attended Attention::attend_step(const torch::Tensor& query, const PreparedMemory& memory,
                                const AttentionState& state, int64_t position,
                                AttentionOutputs wanted) const {
  const fused::StepOutput output = fused::step_attention(
      {heads_->query_rows(query.squeeze(1)), heads_->count(), wanted == AttentionOutputs::weights,
       position, distance_bias()},
      fused::StepMemory{memory.keys, memory.values, memory.memory.lengths, memory.owners});
  Attended attended{heads_->output(output.context).unsqueeze(1), {}, {}, state, {}};
  if (!output.weights.defined()) return attended;
  attended.weights = output.weights.mean(1, /*keepdim=*/true);
  if (heads_->count() > 1) attended.heads = output.weights.unsqueeze(2);
  return attended;
}

torch::Tensor Attention::prepared_heads(const torch::Tensor& keys) const {
  // Scores with a whole form prepare each key independently and expect three dimensions.
  const bool by_head = keys.is_contiguous();
  const torch::Tensor rows = by_head ? keys.flatten(0, 1) : keys.transpose(1, 2).flatten(1, 2);
  const torch::Tensor prepared = score_->prepare({rows, {}, {}, {}});
  return by_head ? prepared.unflatten(0, {keys.size(0), keys.size(1)})
                 : prepared.unflatten(1, {keys.size(2), keys.size(1)}).transpose(1, 2);
}

torch::Tensor Attention::prepared_rows(const torch::Tensor& keys, int64_t heads) const {
  const int64_t size = keys.size(1) / heads;
  return score_->prepare({keys.view({keys.size(0) * heads, 1, size}), {}, {}, {}})
      .unflatten(0, {keys.size(0), heads})
      .flatten(1);
}

torch::Tensor Attention::distance_bias() const {
  return scope_->whole_view()->bias;
}

Attended Attention::attend_whole(const Whole& whole, double dropout,
                                 AttentionOutputs wanted) const {
  const WholeView view = *scope_->whole_view();
  const fused::HeadAttention inputs{whole.queries,
                                    whole.keys,
                                    whole.values,
                                    whole.lengths,
                                    view.causal,
                                    whole.position,
                                    DropoutMask::drawn(dropout, is_training()),
                                    view.bias};
  const bool wants_weights = wanted == AttentionOutputs::weights;
  fused::HeadAttended attended = is_on_device(whole.queries)
                                     ? device::head_attention(inputs, wants_weights)
                                     : fused::head_attention(inputs, wants_weights);
  return {std::move(attended.context), {}, std::move(attended.weights), {}, {}};
}

Attended Attention::attend_heads(const torch::Tensor& query, const PreparedMemory& memory,
                                 int64_t position, double dropout, AttentionOutputs wanted) const {
  Attended attended = attend_whole(
      {heads_->split_queries(query), memory.keys, memory.values, memory.memory.lengths, position},
      dropout, wanted);
  attended.context = heads_->join_split(attended.context);
  if (!attended.heads.defined()) return attended;
  attended.weights = attended.heads.mean(1);
  if (heads_->count() == 1) attended.heads = torch::Tensor();
  return attended;
}

AttentionState Attention::next(const AttentionState& state, const torch::Tensor& weights) const {
  if (!needs_steps()) return state;
  return {weights, state.coverage + weights};
}

std::vector<std::string> Attention::plain_reasons() const {
  std::vector<std::string> reasons;
  if (score_->fused() == nullptr) reasons.push_back(score_->plain_reason());
  if (!distribution_->fused()) reasons.push_back(distribution_->plain_reason());
  if (scope_->fused() == nullptr) reasons.push_back(scope_->plain_reason());
  if (group_score_) reasons.emplace_back("encoder.type");
  if (sources_ && !sources_->is_flat()) reasons.emplace_back("sources.combination");
  return reasons;
}

LoopAttended Attention::unroll(fused::Loop& loop, fused::LoopValue query,
                               const PreparedMemory& memory, const LoopStart& start) const {
  if (!heads_) return unroll_parts(loop, query, memory, start);
  const fused::LoopValue queries = heads_->queries(loop, query);
  loop.begin_parts(heads_->count());
  LoopAttended attended = unroll_parts(loop, queries, memory, start);
  loop.begin_parts(1);
  attended.context = heads_->join(loop, attended.context);
  return attended;
}

LoopAttended Attention::unroll_parts(fused::Loop& loop, fused::LoopValue query,
                                     const PreparedMemory& memory, const LoopStart& start) const {
  const torch::Tensor& values = heads_ ? memory.values : memory.memory.values;
  const int64_t source = values.size(-2);
  const LoopAttended attended{loop.computed(values.size(-1)), needs_steps()
                                                                  ? loop.state(start.state.previous)
                                                                  : loop.computed(source)};
  const LoopScore score =
      score_->fused()->unroll(loop, {query, attended.weights, memory, start.state});
  fused::LoopAttention attention{{memory.keys, values, memory.memory.lengths, memory.owners},
                                 score.energy,
                                 *distribution_->fused(),
                                 scope_->fused()->unroll(loop, query, start.position),
                                 {},
                                 {}};
  attention.view.visible = score.visible;
  if (distribution_->draws_noise()) {
    attention.noise = loop.drawn(head_count(), source, [this](const torch::Tensor& like) {
      return distribution_->noise(like);
    });
  }
  if (start.dropout > 0.0 && is_training()) {
    attention.mask = loop.drawn(head_count(), source, [&start](const torch::Tensor& like) {
      return dropout_mask(like.sizes(), start.dropout, true, like);
    });
  }
  loop.attend(score.query, attention, attended.weights, attended.context);
  return attended;
}

bool Attention::is_pointwise() const {
  const bool joins = sources_ && !sources_->is_flat();
  return !heads_ && !joins && score_->is_pointwise() && !needs_steps() && scope_->is_global();
}

int64_t Attention::context_size() const {
  return sources_ ? sources_->context_size() : memory_size_;
}

int64_t Attention::head_count() const {
  return heads_ ? heads_->count() : 1;
}

bool Attention::needs_steps() const {
  return score_->reads_history();
}

}  // namespace attend::nn
