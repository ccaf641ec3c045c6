#include "app/run/text_warnings.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/log.h"
#include "core/named_enum.h"
#include "core/utf8.h"
#include "metrics/tokenizer/writing.h"
#include "text/changed_character.h"
#include "text/placeholders.h"
#include "text/protected_spans.h"

namespace attend::app {
namespace {

constexpr int64_t kFewPairs = 1000;

void warn_of_source(const std::vector<std::string>& lines) {
  const metrics::Writing writing(lines);
  if (!writing.has_one_word_per_line()) return;
  log::warning(
      "the source of the validation set has about one word per line ({:.1f} between spaces; {}). "
      "Translation needs no spaces, but guided alignment and attend align take such a line for one "
      "word",
      writing.words_per_line(), writing.name());
}

void warn_of_references(const std::vector<std::string>& lines,
                        const train::ValidationOptions& options) {
  const bool decides = options.metric == train::ValidationMetric::bleu;
  if (!decides) return;
  const metrics::Writing writing(lines);
  const std::string better = writing.better_than(enum_name(options.tokenize));
  if (better.empty()) return;
  log::warning(
      "the target of the validation set has {:.1f} words per line between spaces ({}), and BLEU "
      "with training.validation.tokenize: {} compares such words, so it may stay 0; set it to {}, "
      "or training.validation.metric to loss",
      writing.words_per_line(), writing.name(), options.tokenize, better);
}

/// The lines that suffice to compare two texts.
std::span<const std::string> some_of(const std::vector<std::string>& lines) {
  constexpr std::size_t kEnough = 200;
  return std::span(lines).first(std::min(lines.size(), kEnough));
}

bool looks_exchanged(const std::vector<std::string>& source, const KnownTexts& known) {
  std::size_t judged = 0, exchanged = 0;
  for (const std::string& line : some_of(source)) {
    const Likeness likeness = known.likeness(line);
    judged += likeness == Likeness::kTooShort ? 0 : 1;
    exchanged += likeness == Likeness::kTarget ? 1 : 0;
  }
  return 2 * exchanged > judged;
}

void warn_of_unlike_side(std::string_view side, const std::vector<std::string>& lines,
                         const text::KnownText& known) {
  constexpr int64_t kFewCharacters = 100;
  text::Surprise all;
  for (const std::string& line : some_of(lines)) {
    const text::Surprise surprise = known.surprise(line);
    all.nats += surprise.nats;
    all.characters += surprise.characters;
  }
  if (all.characters < kFewCharacters || known.resembles(all)) return;
  log::warning(
      "the {0} of the validation set is unlike the {0} of the training text; is it in another "
      "language, or a wrong file?",
      side);
}

/// `line` without its protected parts, which no tokenizer changes.
std::string without_parts(std::string_view line, const text::ProtectedSpans& spans) {
  std::vector<text::Replacement> parts;
  for (const utf8::Span& part : spans.find(line)) parts.push_back({part, ""});
  return text::with_replacements(line, parts).text;
}

}  // namespace

void warn_of_small_corpus(int64_t pairs) {
  if (pairs >= kFewPairs) return;
  log::warning(
      "only {} training pairs: a model learns to translate new text from tens of thousands of "
      "pairs or more",
      pairs);
}

void warn_of_unspaced_text(const data::DevSet& dev, const train::ValidationOptions& options) {
  for (const std::vector<std::string>& source : dev.sources) warn_of_source(source);
  warn_of_references(dev.reference, options);
}

void warn_of_changed_references(const data::DevSet& dev, const text::Tokenizer& target,
                                const text::ProtectOptions& protect) {
  constexpr std::size_t kEnough = 1000;
  constexpr double kOften = 0.05;
  const std::span lines = std::span(dev.reference).first(std::min(dev.reference.size(), kEnough));
  const text::ProtectedSpans spans(protect);
  std::size_t changed = 0, first_line = 0;
  char32_t first = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto character = text::first_changed_character(target, without_parts(lines[i], spans));
    if (!character || changed++ > 0) continue;
    first_line = i + 1;
    first = *character;
  }
  const double share = static_cast<double>(changed) / static_cast<double>(lines.size());
  if (share < kOften) return;
  log::warning(
      "{:.1f} % of the references of the validation set have characters that the tokenizer "
      "replaces, such as \"{}\" (U+{:04X}) in line {}: translations will have the replacements, "
      "and BLEU counts them as wrong. tokenizer.normalization: identity keeps all characters",
      100.0 * share, utf8::encode({&first, 1}), static_cast<uint32_t>(first), first_line);
}

void warn_of_other_text(const data::DevSet& dev, const KnownTexts& known) {
  if (dev.sources.size() != 1) return;
  if (looks_exchanged(dev.sources.front(), known)) {
    log::warning(
        "the source of the validation set looks like the target of the training text; are source "
        "and target exchanged in data.dev or data.train?");
    return;
  }
  warn_of_unlike_side("source", dev.sources.front(), known.source());
  warn_of_unlike_side("target", dev.reference, known.target());
}

}  // namespace attend::app
