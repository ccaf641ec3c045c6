#pragma once
#include "app/translate/translator.h"
#include "app/translate/word_links.h"

namespace attend::app {

/// Replaces each unknown piece of a translation of `source` (kUnk, which stands for characters that
/// the vocabulary lacks) by the piece of the source that it is linked to, if that is unknown as
/// well, by an unknown piece of the same word, or else, if the piece is a word by itself, by the
/// word. Unknown pieces next to each other with the same link copy it once. Others stay U+2047.
/// `target`: the tokenizer of the translation.
void copy_unknown_words(const SourceLine& source, const text::Tokenizer& target,
                        const LinkChoice& choice, Translation& translation);

}  // namespace attend::app
