#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/schema.h"
#include "core/named_enum.h"

namespace attend::text {

/// The kind of a SentencePiece model.
enum class TokenizerType { bpe, unigram, character, word };

constexpr auto name_table(TokenizerType) {
  return std::to_array<NamedValue<TokenizerType>>({{TokenizerType::bpe, "bpe"},
                                                   {TokenizerType::unigram, "unigram"},
                                                   {TokenizerType::character, "char"},
                                                   {TokenizerType::word, "word"}});
}

/// SentencePiece's normalisation rules.
enum class Normalization { nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf, identity };

constexpr auto name_table(Normalization) {
  return std::to_array<NamedValue<Normalization>>({{Normalization::nmt_nfkc, "nmt_nfkc"},
                                                   {Normalization::nfkc, "nfkc"},
                                                   {Normalization::nmt_nfkc_cf, "nmt_nfkc_cf"},
                                                   {Normalization::nfkc_cf, "nfkc_cf"},
                                                   {Normalization::identity, "identity"}});
}

/// The config section `tokenizer`.
struct TokenizerOptions {
  TokenizerType type = TokenizerType::bpe;
  int64_t vocabulary = 8000;       ///< pieces per model, special symbols included
  bool joint = true;               ///< one model for both languages
  std::vector<std::string> model;  ///< empty: train; else one path (joint) or {source, target}
  double sampling = 0.0;           ///< BPE-dropout probability, or smoothing for unigram; 0: off
  Normalization normalization = Normalization::nmt_nfkc;  ///< applied before a line is segmented
  double character_coverage = 1.0;   ///< share of the characters that get a piece of their own
  bool byte_fallback = false;        ///< cut other characters into bytes, not kUnk
  int64_t training_lines = 500'000;  ///< a model is trained on at most this many
};

void describe(config::Schema<TokenizerOptions>& schema);

}  // namespace attend::text
