#include "data/batch.h"

#include <algorithm>
#include <stdexcept>

namespace attend::data {
namespace {

std::size_t longest(std::span<const std::vector<text::TokenId>> sentences) {
  std::size_t length = 0;
  for (const auto& sentence : sentences) length = std::max(length, sentence.size());
  return length;
}

torch::Tensor doubled(const torch::Tensor& x) {
  return x.defined() ? torch::cat({x, x}) : x;
}

SentenceBatch doubled(const SentenceBatch& batch) {
  return {doubled(batch.ids), doubled(batch.lengths), doubled(batch.mask)};
}

}  // namespace

SentenceBatch SentenceBatch::to(torch::Device device) const {
  return {ids.to(device), lengths, mask.to(device)};
}

SentenceBatch pad(std::span<const std::vector<text::TokenId>> sentences) {
  const auto rows = static_cast<int64_t>(sentences.size());
  const auto width = static_cast<int64_t>(longest(sentences));
  SentenceBatch batch{torch::full({rows, width}, int64_t{text::kPad}, torch::kInt64),
                      torch::empty({rows}, torch::kInt64),
                      torch::zeros({rows, width}, torch::kBool)};
  auto* ids = batch.ids.data_ptr<int64_t>();
  auto* mask = batch.mask.data_ptr<bool>();
  auto* lengths = batch.lengths.data_ptr<int64_t>();
  for (const auto& sentence : sentences) {
    if (sentence.empty())
      throw std::logic_error("pad: a sentence is empty; append its end symbol first");
    std::copy(sentence.begin(), sentence.end(), ids);
    std::fill_n(mask, sentence.size(), true);
    *lengths++ = static_cast<int64_t>(sentence.size());
    ids += width;
    mask += width;
  }
  return batch;
}

FramedTargets FramedTargets::to(torch::Device device) const {
  return {input.to(device), output.to(device)};
}

SentenceBatch frame_sources(Sentences sentences) {
  for (auto& sentence : sentences) sentence.push_back(text::kEos);
  return pad(sentences);
}

FramedTargets frame_targets(Sentences sentences) {
  Sentences inputs;
  inputs.reserve(sentences.size());
  for (auto& sentence : sentences) {
    auto& input = inputs.emplace_back(1, text::kBos);
    input.insert(input.end(), sentence.begin(), sentence.end());
    sentence.push_back(text::kEos);
  }
  return {pad(inputs), pad(sentences).ids};
}

const SentenceBatch& Batch::source() const {
  if (sources.size() != 1) throw std::logic_error("Batch::source: the batch has several sources");
  return sources.front();
}

SentenceBatch Batch::reading() const {
  if (sources.size() == 1) return sources.front();
  torch::Tensor lengths = torch::zeros_like(sources.front().lengths);
  for (const SentenceBatch& source : sources) lengths = lengths + source.lengths;
  const auto options = sources.front().ids.options();
  const auto steps = lengths.max().item<int64_t>();
  // Padding is scattered to an extra last column, which is cut off below.
  torch::Tensor ids = torch::full({lengths.size(0), steps + 1}, int64_t{text::kPad}, options);
  torch::Tensor before = torch::zeros({lengths.size(0), 1}, options);
  for (const SentenceBatch& source : sources) {
    const torch::Tensor place = torch::arange(source.ids.size(1), options).unsqueeze(0);
    ids.scatter_(1, (place + before).masked_fill(source.mask.logical_not(), steps), source.ids);
    before = before + source.lengths.to(options.device()).unsqueeze(1);
  }
  return {ids.narrow(1, 0, steps).contiguous(), lengths,
          torch::arange(steps, options).unsqueeze(0).lt(before)};
}

Batch twice(const Batch& batch) {
  Batch result;
  for (const SentenceBatch& source : batch.sources) result.sources.push_back(doubled(source));
  result.target_input = doubled(batch.target_input);
  result.target_output = doubled(batch.target_output);
  result.goals = doubled(batch.goals);
  result.lines = batch.lines;
  result.lines.insert(result.lines.end(), batch.lines.begin(), batch.lines.end());
  result.source_tokens = 2 * batch.source_tokens;
  result.target_tokens = 2 * batch.target_tokens;
  return result;
}

Batch Batch::to(torch::Device device) const {
  Batch moved = *this;
  for (SentenceBatch& source : moved.sources) source = source.to(device);
  moved.target_input = target_input.to(device);
  moved.target_output = target_output.to(device);
  if (goals.defined()) moved.goals = goals.to(device);
  return moved;
}

}  // namespace attend::data
