#include "text/tokenizer_training.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "core/random.h"
#include "text/lowercase.h"
#include "text/sentencepiece/library.h"
#include "text/vocabulary.h"

namespace attend::text {
namespace {

constexpr std::size_t kLongestLine = 16384;  // bytes; SentencePiece's cost is superlinear

std::unordered_map<std::string, std::string> trainer_arguments(const TokenizerOptions& options) {
  return {{"model_type", std::string(enum_name(options.type))},
          {"vocab_size", std::to_string(options.vocabulary)},
          {"hard_vocab_limit", "false"},  // allow fewer pieces if the text yields fewer
          {"character_coverage", fmt::format("{}", options.character_coverage)},
          {"byte_fallback", options.byte_fallback ? "true" : "false"},
          {"normalization_rule_name", std::string(enum_name(options.normalization))},
          {"pad_id", std::to_string(kPad)},
          {"unk_id", std::to_string(kUnk)},
          {"bos_id", std::to_string(kBos)},
          {"eos_id", std::to_string(kEos)},
          {"unk_surface", "\u2047"},
          {"num_threads", "1"},  // float sums depend on the number of threads
          {"max_sentence_length", std::to_string(4 * kLongestLine)},  // room for lower-casing
          {"train_extremely_large_corpus", "true"},  // 64-bit offsets instead of an abort
          {"minloglevel", "3"}};
}

int64_t count_pieces(const std::string& model) {
  const auto loaded = sentencepiece().load(model);
  return loaded ? loaded->size() : 0;
}

/// True if SentencePiece's normalisation leaves any characters. Trains a character model to find
/// out, because the unigram trainer would abort the process on an empty text.
bool has_characters(const TokenizerOptions& options, std::span<const std::string> text) {
  TokenizerOptions probe = options;
  probe.type = TokenizerType::character;
  probe.vocabulary = kSpecialSymbols + 1;
  probe.character_coverage = 1.0;
  probe.byte_fallback = false;
  const TrainedModel model =
      sentencepiece().train(trainer_arguments(probe), {text.begin(), text.end()});
  return count_pieces(model.bytes) == probe.vocabulary;
}

void check_for_characters(const TokenizerOptions& options, std::span<const std::string> text) {
  constexpr std::size_t kUsuallyEnough = 100;
  const auto start = text.first(std::min(text.size(), kUsuallyEnough));
  if (has_characters(options, start) || has_characters(options, text)) return;
  throw DataError(
      "cannot train the tokenizer: the training text has only empty, blank or overlong lines");
}

/// Returns the 57 of the message "... smaller than required_chars. 20 vs 57. Increase ...".
std::string least_vocabulary(const std::string& message) {
  const std::size_t begin = message.find(" vs ");
  if (begin == std::string::npos) return "";
  const std::size_t end = message.find_first_not_of("0123456789", begin + 4);
  return message.substr(begin + 4, end - begin - 4);
}

[[noreturn]] void report_failure(const std::string& message, const TokenizerOptions& options) {
  if (message.find("required_chars") != std::string::npos) {
    throw ConfigError(
        fmt::format("tokenizer.vocabulary: {} is too small, because every character of the "
                    "training text needs a piece{}; set it to {} or more, or lower "
                    "tokenizer.character_coverage",
                    options.vocabulary,
                    options.byte_fallback ? ", and every byte (tokenizer.byte_fallback)" : "",
                    least_vocabulary(message)));
  }
  throw DataError("SentencePiece training failed: " + message);
}

void report_size(const TokenizerOptions& options, int64_t pieces) {
  if (pieces >= options.vocabulary) return;
  const bool asked_for_fewer_is_usual =
      is_one_of(options.type, {TokenizerType::character, TokenizerType::word});
  log::write(asked_for_fewer_is_usual ? log::Level::kInfo : log::Level::kWarning,
             fmt::format("the {} tokenizer has only {} pieces, because the training text yields no "
                         "more (tokenizer.vocabulary: {})",
                         options.type, pieces, options.vocabulary));
}

/// Warns if the text often has zero-width non-joiners, which Persian, Kurdish and some Indic
/// scripts write inside words. Rules with nmt_ turn them into blanks, so that translations lack
/// them.
void warn_of_lost_joiners(const TokenizerOptions& options, std::span<const std::string> lines) {
  constexpr double kOften = 0.001;  // of the lines; a stray character does not matter
  const bool is_lost =
      is_one_of(options.normalization, {Normalization::nmt_nfkc, Normalization::nmt_nfkc_cf});
  const auto with_joiners = std::ranges::count_if(
      lines, [](const std::string& line) { return line.find("\u200C") != std::string::npos; });
  const double share = static_cast<double>(with_joiners) / static_cast<double>(lines.size());
  if (!is_lost || share < kOften) return;
  const bool folds = options.normalization == Normalization::nmt_nfkc_cf;
  log::warning(
      "{:.1f} % of the lines have a zero-width non-joiner (U+200C), which tokenizer.normalization: "
      "{} turns into a blank, so translations will lack it; set it to {}",
      100.0 * share, options.normalization, folds ? "nfkc_cf" : "nfkc");
}

}  // namespace

std::vector<std::string> sample_lines(const NextLine& next_line, int64_t bound, uint64_t seed) {
  Random random = stream(seed, "tokenizer lines");
  std::vector<std::string> sample;
  const auto size = static_cast<uint64_t>(bound);
  for (uint64_t seen = 0; auto line = next_line();) {
    if (line->empty() || line->size() > kLongestLine) continue;
    if (sample.size() < size) {
      sample.push_back(std::move(*line));
    } else if (const uint64_t place = random.below(seen + 1); place < size) {
      sample[place] = std::move(*line);
    }
    ++seen;
  }
  return sample;
}

std::string train_tokenizer(const TokenizerOptions& options, bool lowercase,
                            const NextLine& next_line, const std::vector<std::string>& symbols) {
  constexpr uint64_t kSeed = 1;
  std::vector<std::string> lines = sample_lines(next_line, options.training_lines, kSeed);
  if (lowercase) {
    for (auto& line : lines) line = Lowercased(line).text();
  }
  check_for_characters(options, lines);
  warn_of_lost_joiners(options, lines);
  auto arguments = trainer_arguments(options);
  if (!symbols.empty())
    arguments["user_defined_symbols"] = fmt::format("{}", fmt::join(symbols, ","));
  TrainedModel model = sentencepiece().train(arguments, std::move(lines));
  if (!model.error.empty()) report_failure(model.error, options);
  report_size(options, count_pieces(model.bytes));
  return std::move(model.bytes);
}

}  // namespace attend::text
