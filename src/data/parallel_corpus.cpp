#include "data/parallel_corpus.h"

namespace attend::data {

void ParallelCorpus::add(std::span<const text::TokenId> source,
                         std::span<const text::TokenId> target, int64_t line) {
  pairs_.push_back({tokens_.size(), line, static_cast<uint32_t>(source.size()),
                    static_cast<uint32_t>(target.size())});
  tokens_.append(source);
  tokens_.append(target);
}

std::vector<text::TokenId> ParallelCorpus::source(int64_t pair) const {
  return tokens_.read(at(pair).position, at(pair).source_length);
}

std::vector<text::TokenId> ParallelCorpus::target(int64_t pair) const {
  return tokens_.read(at(pair).position + at(pair).source_length, at(pair).target_length);
}

}  // namespace attend::data
