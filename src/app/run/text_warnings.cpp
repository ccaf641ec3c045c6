#include "app/run/text_warnings.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/log.h"
#include "core/named_enum.h"
#include "metrics/tokenizer/writing.h"

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

void warn_of_exchanged_sides(const data::DevSet& dev, const KnownTexts& known) {
  constexpr std::size_t kEnough = 200;
  if (dev.sources.size() != 1) return;
  const std::vector<std::string>& lines = dev.sources.front();
  std::size_t judged = 0, exchanged = 0;
  for (std::size_t i = 0; i < std::min(lines.size(), kEnough); ++i) {
    const Likeness likeness = known.likeness(lines[i]);
    judged += likeness == Likeness::kTooShort ? 0 : 1;
    exchanged += likeness == Likeness::kTarget ? 1 : 0;
  }
  if (2 * exchanged <= judged) return;
  log::warning(
      "the source of the validation set looks like the target of the training text; are source and "
      "target exchanged in data.dev or data.train?");
}

}  // namespace attend::app
