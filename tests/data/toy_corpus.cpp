#include "tests/data/toy_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/random.h"
#include "text/tokenizer_training.h"

namespace attend::test {
namespace {

text::Tokenizer tokenizer_of(const TempDir& folder, text::TokenizerType type,
                             const std::vector<std::string>& lines) {
  text::TokenizerOptions options;
  options.type = type;
  options.vocabulary = 100;
  std::size_t next = 0;
  const auto next_line = [&]() -> std::optional<std::string> {
    if (next == lines.size()) return std::nullopt;
    return lines[next++];
  };
  const auto path =
      folder.write(fmt::format("{}.model", type), text::train_tokenizer(options, false, next_line));
  return {path, false};
}

/// Standard normal (Box & Muller 1958).
double normal(Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

int64_t clamp_length(double length) {
  return std::clamp<int64_t>(std::llround(length), 1, 100);
}

}  // namespace

text::Tokenizer word_tokenizer(const TempDir& folder) {
  return tokenizer_of(folder, text::TokenizerType::word, {"a b c d e f g h i j"});
}

text::Tokenizer bpe_tokenizer(const TempDir& folder) {
  return tokenizer_of(
      folder, text::TokenizerType::bpe,
      {"abc abd abcd ab cd abcde", "fgh fghi fg hij ghij abc", "abcd fghi abcd fghi"});
}

data::PairFiles write_pairs(const TempDir& folder, const std::string& name,
                            const std::string& source, const std::string& target) {
  return {folder.write(name + ".source", source).string(),
          folder.write(name + ".target", target).string()};
}

data::ParallelCorpus corpus_of(const std::vector<Lengths>& lengths) {
  data::ParallelCorpus corpus(2000);
  int64_t line = 0;
  for (const Lengths& pair : lengths) {
    std::vector<text::TokenId> source(static_cast<std::size_t>(pair.source), 4);
    const std::vector<text::TokenId> target(static_cast<std::size_t>(pair.target), 5);
    source.front() = static_cast<text::TokenId>(4 + line % 1000);
    corpus.add(source, target, ++line);
  }
  return corpus;
}

std::vector<Lengths> natural_lengths(int64_t count) {
  Random random(1);
  std::vector<Lengths> lengths;
  for (int64_t i = 0; i < count; ++i) {
    const double source = 13.0 * std::exp(0.35 * normal(random));
    lengths.push_back(
        {clamp_length(source), clamp_length(source * std::exp(0.2 * normal(random)))});
  }
  return lengths;
}

}  // namespace attend::test
