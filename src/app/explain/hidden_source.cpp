#include "app/explain/hidden_source.h"

#include <torch/utils.h>

#include <algorithm>

#include "data/batch.h"
#include "decode/forced/word_blocks.h"

namespace attend::app {

namespace {

/// Tokens of source and target that are computed together; bounds the memory.
constexpr std::size_t kTokensAtOnce = 4096;

torch::Tensor integers(const std::vector<int64_t>& values) {
  return torch::tensor(values, torch::kInt64);
}

}  // namespace

HiddenSource::HiddenSource(const model::Seq2Seq& model, const ExplainedPair& pair,
                           std::span<const text::TokenId> decisions, const torch::Tensor& before)
    : model_(model), pair_(pair), decisions_(decisions), before_(before) {}

void HiddenSource::request(const HiddenWords& hidden, Hiding how, std::size_t position) {
  entries_[{how, hidden}][position] = {};
}

HiddenSource::Prediction HiddenSource::prediction(const HiddenWords& hidden, Hiding how,
                                                  std::size_t position) const {
  return entries_.at({how, hidden}).at(position);
}

void HiddenSource::compute() {
  std::vector<Entry*> all;
  for (Entry& entry : entries_) all.push_back(&entry);
  const auto last = [](const Entry* entry) { return entry->second.rbegin()->first; };
  std::ranges::stable_sort(all, std::less<>(), [&](const Entry* entry) {
    return std::pair(entry->first.first, last(entry));
  });
  for (std::size_t first = 0; first < all.size();) {
    std::size_t end = first;
    std::size_t longest = 0;
    while (end < all.size() && all[end]->first.first == all[first]->first.first) {
      longest = std::max(longest, pair_.source.size() + last(all[end]) + 2);
      if (end > first && (end + 1 - first) * longest > kTokensAtOnce) break;
      ++end;
    }
    compute(std::span(all).subspan(first, end - first));
    first = end;
  }
}

std::vector<text::TokenId> HiddenSource::source_of(const Key& key) const {
  std::vector<text::TokenId> source = pair_.source;
  if (key.first == Hiding::masked) return source;
  std::vector<bool> left_out(source.size());
  for (std::size_t w = 0; w < pair_.words.size(); ++w)
    for (const std::size_t piece : pair_.words[w]) left_out[piece] = key.second[w];
  std::vector<text::TokenId> result;
  for (std::size_t i = 0; i < source.size(); ++i)
    if (!left_out[i]) result.push_back(source[i]);
  return result;
}

// Requires: all entries hide words in the same way.
model::Encoded HiddenSource::encoded(std::span<Entry* const> entries) const {
  data::Sentences sources;
  for (const Entry* entry : entries) sources.push_back(source_of(entry->first));
  const data::SentenceBatch batch = data::frame_sources(std::move(sources)).to(model_.device());
  if (entries.front()->first.first == Hiding::deleted) return model_.encode(batch);
  torch::Tensor kept = torch::ones({batch.size(), batch.ids.size(1), 1}, torch::kFloat);
  auto seen = kept.accessor<float, 3>();
  for (std::size_t i = 0; i < entries.size(); ++i)
    for (std::size_t w = 0; w < pair_.words.size(); ++w)
      for (const std::size_t piece : pair_.words[w])
        if (entries[i]->first.second[w])
          seen[static_cast<int64_t>(i)][static_cast<int64_t>(piece)][0] = 0.0F;
  const torch::Tensor embedded = model_.embed_source(batch);
  return model_.encode_embedded(batch, embedded * kept.to(embedded.options()));
}

void HiddenSource::compute(std::span<Entry* const> entries) {
  const torch::NoGradGuard no_gradients;
  data::Sentences targets;
  std::vector<int64_t> rows, positions, tokens;
  std::vector<Prediction*> places;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (auto& [position, place] : entries[i]->second) {
      rows.push_back(static_cast<int64_t>(i));
      positions.push_back(static_cast<int64_t>(position));
      tokens.push_back(decisions_[position]);
      places.push_back(&place);
    }
    targets.emplace_back(pair_.target.begin(), pair_.target.begin() + positions.back());
  }
  const auto input = data::frame_targets(std::move(targets)).to(model_.device()).input;
  const torch::Tensor outputs = model_.decode(encoded(entries), input).outputs;
  const torch::Tensor wanted = outputs.index(
      {integers(rows).to(outputs.device()), integers(positions).to(outputs.device())});
  decode::for_each_block(model_, wanted, [&](const torch::Tensor& logits, int64_t first) {
    const torch::Tensor all = logits.to(torch::kCPU, torch::kFloat64).softmax(1);  // [N, V]
    const int64_t count = all.size(0);
    const auto part = [&](const std::vector<int64_t>& values) {
      return integers(values).narrow(0, first, count);
    };
    const torch::Tensor decided = all.gather(1, part(tokens).unsqueeze(1)).squeeze(1);
    const torch::Tensor distance =
        (all - before_.index_select(0, part(positions))).abs().sum(1) / 2;
    for (int64_t i = 0; i < count; ++i)
      *places[static_cast<std::size_t>(first + i)] = {decided[i].item<double>(),
                                                      distance[i].item<double>()};
  });
}

}  // namespace attend::app
