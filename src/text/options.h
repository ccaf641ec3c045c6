#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "config/schema.h"

namespace attend::text {

/// The config section `tokenizer`.
struct TokenizerOptions {
  std::string type = "bpe";        ///< bpe | unigram | char | word
  int64_t vocabulary = 8000;       ///< pieces per model, special symbols included
  bool joint = true;               ///< one model for both languages
  std::vector<std::string> model;  ///< empty: train; else one path (joint) or {source, target}
  double sampling = 0.0;           ///< BPE-dropout probability, or smoothing for unigram; 0: off
  std::string normalization = "nmt_nfkc";  ///< rule that SentencePiece applies before it cuts
  double character_coverage = 1.0;   ///< share of the characters that get a piece of their own
  int64_t training_lines = 500'000;  ///< most lines that a model is trained on
};

void describe(config::Schema<TokenizerOptions>& schema);

}  // namespace attend::text
