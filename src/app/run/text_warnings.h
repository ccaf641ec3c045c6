#pragma once
#include <cstdint>

#include "app/model/known_texts.h"
#include "data/dev_set.h"
#include "text/protect_options.h"
#include "text/tokenizer.h"
#include "train/options.h"

namespace attend::app {

/// Warns if the training text has fewer pairs than a translation model needs.
void warn_of_small_corpus(int64_t pairs);

/// Warns about each side of the validation set that has about one word per line (metrics::Writing),
/// and about references that BLEU's tokenizer does not split into words. Requires:
/// `options.tokenize` is not automatic.
void warn_of_unspaced_text(const data::DevSet& dev, const train::ValidationOptions& options);

/// Warns if the tokenizer writes 5 % or more of the references in another way, so that translations
/// cannot equal them (text::first_changed_character()). Looks at the text that `protect` leaves.
void warn_of_changed_references(const data::DevSet& dev, const text::Tokenizer& target,
                                const text::ProtectOptions& protect);

/// Warns if source and target of the validation set look exchanged (most lines of its source are
/// like the target of the training text), otherwise of each side that does not resemble that side
/// of the training text (text::KnownText::resembles()).
void warn_of_other_text(const data::DevSet& dev, const KnownTexts& known);

}  // namespace attend::app
