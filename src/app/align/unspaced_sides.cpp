#include "app/align/unspaced_sides.h"

#include "core/log.h"

namespace attend::app {
namespace {

void warn_of_side(std::string_view side, const metrics::Writing& writing, std::string_view advice) {
  if (writing.tokenizer() == "13a") return;  // spaces separate its words
  log::warning(
      "the {} has {:.1f} words per line between spaces ({}), and links are between such words; {}",
      side, writing.words_per_line(), writing.name(), advice);
}

}  // namespace

void UnspacedSides::add(std::span<const data::LinePair> pairs) {
  for (const data::LinePair& pair : pairs) {
    if (pairs_++ >= metrics::Writing::kEnough) return;
    source_.add(pair.source);
    target_.add(pair.target);
  }
}

void UnspacedSides::warn(std::string_view advice) const {
  warn_of_side("source", source_, advice);
  warn_of_side("target", target_, advice);
}

}  // namespace attend::app
