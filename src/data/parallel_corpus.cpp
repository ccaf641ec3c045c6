#include "data/parallel_corpus.h"

namespace attend::data {

void ParallelCorpus::add(std::span<const Ids> sources, Ids target, int64_t line) {
  if (sources.size() != sources_)
    throw std::logic_error("ParallelCorpus: the example has another number of sources");
  places_.push_back({tokens_.size(), line});
  const auto add_side = [this](Ids ids) {
    lengths_.push_back(static_cast<uint32_t>(ids.size()));
    tokens_.append(ids);
  };
  std::ranges::for_each(sources, add_side);
  add_side(target);
}

int64_t ParallelCorpus::examples_up_to(int64_t line) const {
  int64_t begin = 0, end = size();
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (this->line(middle) <= line) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

std::vector<text::TokenId> ParallelCorpus::source(int64_t example, std::size_t number) const {
  if (number >= sources_) throw std::out_of_range("ParallelCorpus: no such source");
  return side(example, number);
}

std::vector<text::TokenId> ParallelCorpus::target(int64_t example) const {
  return side(example, sources_);
}

std::vector<text::TokenId> ParallelCorpus::side(int64_t example, std::size_t number) const {
  uint64_t position = at(example).position;
  const uint64_t lengths = first_length(example);
  for (std::size_t before = 0; before < number; ++before) position += lengths_[lengths + before];
  return tokens_.read(position, lengths_[lengths + number]);
}

}  // namespace attend::data
