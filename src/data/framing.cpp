#include "data/framing.h"

#include <utility>

namespace attend::data {

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

}  // namespace attend::data
