#include "align/extract.h"

namespace attend::align {
namespace {

Link link_of(std::size_t source, std::size_t target) {
  return {static_cast<int64_t>(source), static_cast<int64_t>(target)};
}

void add_largest(const AttentionMatrix& words, std::size_t target, Links& links) {
  std::size_t best = 0;
  for (std::size_t s = 1; s < words.source.size(); ++s) {
    if (words.weights(target, s) > words.weights(target, best)) best = s;
  }
  if (best < words.source_tokens() && words.weights(target, best) > 0)
    links.insert(link_of(best, target));
}

void add_above(const AttentionMatrix& words, std::size_t target, float threshold, Links& links) {
  for (std::size_t s = 0; s < words.source_tokens(); ++s) {
    const float weight = words.weights(target, s);
    if (weight >= threshold && weight > 0) links.insert(link_of(s, target));
  }
}

}  // namespace

Links extract_links(const AttentionMatrix& words, std::optional<float> threshold) {
  Links links;
  if (!words.has_weights()) return links;
  for (std::size_t t = 0; t < words.target_tokens(); ++t) {
    if (threshold) {
      add_above(words, t, *threshold, links);
    } else {
      add_largest(words, t, links);
    }
  }
  return links;
}

}  // namespace attend::align
