#include "server/nearest/sentence_index.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "decode/scoring/finite.h"

namespace attend::server {
namespace {

constexpr int64_t kMostIndexBytes = int64_t{1} << 28;
constexpr int64_t kPortion = 4096;  // sentences that are sorted by length together
constexpr std::size_t kBatch = 64;  // sentences of a batch
constexpr int64_t kLeastCandidates = 64;

std::span<const float> row_of(const torch::Tensor& vectors, int64_t row) {
  return {vectors.data_ptr<float>() + row * vectors.size(1),
          static_cast<std::size_t>(vectors.size(1))};
}

}  // namespace

torch::Tensor sentence_vectors(const model::Seq2Seq& model, const data::SentenceBatch& source) {
  const c10::InferenceMode no_gradients;
  const model::Encoded encoded = model.encode(source.to(model.device()));
  const nn::Memory& memory = encoded.memories.front().memory;
  const auto states = memory.keys.masked_fill(memory.mask.logical_not().unsqueeze(-1), 0.0);
  const auto sums =
      states.sum(1).to(torch::kCPU, torch::kFloat);  // [B, C]; sums have the direction of the means
  decode::require_finite(sums);
  return (sums / sums.norm(2, 1, /*keepdim=*/true).clamp_min(1e-12)).contiguous();
}

std::optional<SentenceIndex> SentenceIndex::build(
    const app::LoadedModel& model, data::ParallelCorpus corpus,
    const std::function<bool(int64_t, int64_t)>& go_on) {
  if (corpus.sources() > 1)
    throw DataError("nearest sentences need a model with one source; this model reads several");
  const int64_t components = sentence_vectors(*model.model, data::frame_sources({{}})).size(1);
  const int64_t room = kMostIndexBytes / (components + 4);
  const int64_t every = std::max<int64_t>(1, (corpus.plain_size() + room - 1) / room);
  SentenceIndex index(model, std::move(corpus), every, components);
  const int64_t total = (index.total() + every - 1) / every;
  index.rows_.reserve(total);
  while (index.size() < total) {
    std::vector<int64_t> examples;
    for (int64_t i = index.size(); i < std::min(total, index.size() + kPortion); ++i)
      examples.push_back(i * every);
    const int64_t before = index.size();
    if (!index.add(examples, [&](int64_t done) { return go_on(before + done, total); }))
      return std::nullopt;
  }
  return index;
}

torch::Tensor SentenceIndex::encode(const std::vector<int64_t>& examples) const {
  data::Sentences sources;
  for (const int64_t example : examples) sources.push_back(corpus_.source(example));
  return sentence_vectors(*model_.model, data::frame_sources(std::move(sources)));
}

/// Encodes sentences of similar length together.
bool SentenceIndex::add(const std::vector<int64_t>& examples,
                        const std::function<bool(int64_t)>& go_on) {
  std::vector<std::size_t> order(examples.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return corpus_.source_length(examples[i]); });
  std::vector<std::vector<float>> vectors(examples.size());
  for (std::size_t begin = 0; begin < order.size(); begin += kBatch) {
    if (!go_on(static_cast<int64_t>(begin))) return false;
    const std::size_t end = std::min(order.size(), begin + kBatch);
    std::vector<int64_t> batch;
    for (std::size_t i = begin; i < end; ++i) batch.push_back(examples[order[i]]);
    const torch::Tensor encoded = encode(batch);
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = row_of(encoded, static_cast<int64_t>(i - begin));
      vectors[order[i]].assign(row.begin(), row.end());
    }
  }
  for (const auto& vector : vectors) rows_.add(vector);
  return true;
}

std::vector<Neighbor> SentenceIndex::nearest(const data::SentenceBatch& source,
                                             int64_t most) const {
  const torch::Tensor vector = sentence_vectors(*model_.model, source);  // [1, C]
  std::vector<int64_t> examples =
      rows_.closest(row_of(vector, 0), std::max(4 * most, kLeastCandidates));
  if (examples.empty()) return {};
  for (int64_t& row : examples) row *= every_;
  const torch::Tensor cosines = encode(examples).matmul(vector[0]);  // [candidates]
  std::vector<Neighbor> neighbors;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    neighbors.push_back({corpus_.line(examples[i]),
                         static_cast<double>(cosines.data_ptr<float>()[i]),
                         corpus_.source(examples[i]), corpus_.target(examples[i])});
  }
  std::ranges::stable_sort(neighbors, std::greater<>(), &Neighbor::similarity);
  if (std::ssize(neighbors) > most) neighbors.resize(static_cast<std::size_t>(most));
  return neighbors;
}

}  // namespace attend::server
