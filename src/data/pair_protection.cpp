#include "data/pair_protection.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/random.h"
#include "text/characters.h"

namespace attend::data {
namespace {

using Spans = std::vector<utf8::Span>;

std::map<std::string_view, int64_t> counts_of(std::string_view line, const Spans& spans) {
  std::map<std::string_view, int64_t> counts;
  for (const utf8::Span& span : spans) ++counts[text::text_of(line, span)];
  return counts;
}

void keep_inside_words(std::string_view line, Spans& spans) {
  std::erase_if(spans, [line](const utf8::Span& span) {
    return text::text_of(line, span).find(' ') != std::string_view::npos;
  });
}

}  // namespace

PairProtection::PairProtection(const text::ProtectOptions& options)
    : spans_(options), is_empty_(options.empty()), share_(options.share) {}

bool PairProtection::has(int64_t line) const {
  constexpr uint64_t kSeed = 1;
  if (is_empty_) return false;
  return Random(stream_seed(kSeed, "protection", static_cast<uint64_t>(line))).uniform() < share_;
}

ProtectedPair PairProtection::replaced(std::string_view source, std::string_view target,
                                       ProtectedParts parts) const {
  if (is_empty_) return {{std::string(source), {}}, {std::string(target), {}}};
  Spans source_spans = spans_.find(source);
  Spans target_spans = spans_.find(target);
  if (parts == ProtectedParts::kInsideWords) {
    keep_inside_words(source, source_spans);
    keep_inside_words(target, target_spans);
  }
  const auto of_source = counts_of(source, source_spans);
  const auto of_target = counts_of(target, target_spans);
  std::erase_if(source_spans, [&](const utf8::Span& span) {
    const auto found = of_target.find(text::text_of(source, span));
    return found == of_target.end() || found->second != of_source.at(found->first);
  });
  const std::vector<std::string> texts = text::placeholder_texts(source, source_spans);
  return {text::with_placeholders(source, source_spans, texts),
          text::with_placeholders(target, target_spans, texts)};
}

void PairProtection::protect(std::string& source, std::string& target, ProtectedParts parts) const {
  ProtectedPair pair = replaced(source, target, parts);
  source = std::move(pair.source.text);
  target = std::move(pair.target.text);
}

}  // namespace attend::data
