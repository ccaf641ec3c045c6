#include "data/batch.h"

#include <algorithm>
#include <numeric>
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
  return {doubled(batch.ids), doubled(batch.lengths), doubled(batch.mask),
          doubled(batch.device_lengths)};
}

/// Copies `host` to `device`. A copy to a GPU is asynchronous, from pinned memory.
torch::Tensor sent(const torch::Tensor& host, torch::Device device) {
  return device.is_cpu() ? host : host.pin_memory().to(device, /*non_blocking=*/true);
}

/// Flat indices in [B * T] of the positions that are not padding.
torch::Tensor real_places(const SentenceBatch& batch) {
  const auto* const length = batch.lengths.data_ptr<int64_t>();
  const torch::Tensor places =
      torch::empty({std::accumulate(length, length + batch.size(), int64_t{0})}, torch::kInt64);
  auto* place = places.data_ptr<int64_t>();
  for (int64_t row = 0; row < batch.size(); ++row) {
    std::iota(place, place + length[row], row * batch.ids.size(1));
    place += length[row];
  }
  return places;
}

/// Several int64 tensors that are sent to a device in one copy.
class Parcel {
 public:
  void add(const torch::Tensor& x) {
    parts_.push_back(x.flatten());
    sizes_.push_back(x.sizes().vec());
  }
  void add(const SentenceBatch& batch) {
    add(batch.ids);
    add(batch.lengths);
  }
  void send(torch::Device device) { there_ = sent(torch::cat(parts_), device); }

  /// The next part, on the device.
  [[nodiscard]] torch::Tensor take() {
    const std::size_t part = taken_++;
    const int64_t size = parts_[part].numel();
    const torch::Tensor x = there_.narrow(0, begin_, size).view(sizes_[part]);
    begin_ += size;
    return x;
  }
  [[nodiscard]] SentenceBatch take(const SentenceBatch& batch) {
    SentenceBatch taken{take(), batch.lengths, {}, take()};
    const torch::Tensor position = torch::arange(taken.ids.size(1), taken.ids.options());
    taken.mask = position.unsqueeze(0) < taken.device_lengths.unsqueeze(1);
    return taken;
  }

 private:
  std::vector<torch::Tensor> parts_;
  std::vector<std::vector<int64_t>> sizes_;
  torch::Tensor there_;
  std::size_t taken_ = 0;
  int64_t begin_ = 0;
};

}  // namespace

SentenceBatch SentenceBatch::to(torch::Device device) const {
  if (!device.is_cuda()) return {ids.to(device), lengths, mask.to(device)};
  Parcel parcel;
  parcel.add(*this);
  parcel.send(device);
  return parcel.take(*this);
}

torch::Tensor SentenceBatch::lengths_there() const {
  return device_lengths.defined() ? device_lengths : lengths.to(ids.device());
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
    before = before + source.lengths_there().unsqueeze(1);
  }
  return {ids.narrow(1, 0, steps).contiguous(), lengths,
          torch::arange(steps, options).unsqueeze(0).lt(before)};
}

Batch twice(const Batch& batch) {
  Batch result;
  for (const SentenceBatch& source : batch.sources) result.sources.push_back(doubled(source));
  result.target_input = doubled(batch.target_input);
  result.target_output = doubled(batch.target_output);
  if (batch.target_places.defined()) {
    result.target_places =
        torch::cat({batch.target_places, batch.target_places + batch.target_output.numel()});
  }
  result.goals = doubled(batch.goals);
  result.lines = batch.lines;
  result.lines.insert(result.lines.end(), batch.lines.begin(), batch.lines.end());
  result.source_tokens = 2 * batch.source_tokens;
  result.target_tokens = 2 * batch.target_tokens;
  return result;
}

Batch Batch::to(torch::Device device) const {
  if (device.is_cuda()) return sent_to(device);
  Batch moved = *this;
  for (SentenceBatch& source : moved.sources) source = source.to(device);
  moved.target_input = target_input.to(device);
  moved.target_output = target_output.to(device);
  if (goals.defined()) moved.goals = goals.to(device);
  return moved;
}

Batch Batch::sent_to(torch::Device device) const {
  Parcel parcel;
  for (const SentenceBatch& source : sources) parcel.add(source);
  parcel.add(target_input);
  parcel.add(target_output);
  parcel.add(real_places(target_input));
  parcel.send(device);
  Batch moved = *this;
  for (SentenceBatch& source : moved.sources) source = parcel.take(source);
  moved.target_input = parcel.take(target_input);
  moved.target_output = parcel.take();
  moved.target_places = parcel.take();
  if (goals.defined()) moved.goals = sent(goals, device);
  return moved;
}

}  // namespace attend::data
