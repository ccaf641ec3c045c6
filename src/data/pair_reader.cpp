#include "data/pair_reader.h"

#include <utility>

namespace attend::data {

std::optional<LinePair> PairReader::next() {
  auto example = reader_.next();
  if (!example) return std::nullopt;
  return LinePair{std::move(example->sources.front()), std::move(example->target)};
}

}  // namespace attend::data
