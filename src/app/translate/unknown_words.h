#pragma once
#include "app/translate/translator.h"
#include "app/translate/word_links.h"

namespace attend::app {

/// Replaces the unknown pieces of a translation of `source` (kUnk, which stands for characters that
/// the vocabulary lacks) by source text: the linked piece if it is unknown as well; else an unknown
/// piece of the same source word; else, if the piece is a word by itself, that source word. Unknown
/// pieces next to each other with the same link copy it once. Others stay U+2047. `target`: the
/// tokenizer of the translation.
void copy_unknown_words(const SourceLine& source, const text::Tokenizer& target,
                        const LinkChoice& choice, Translation& translation);

}  // namespace attend::app
