#include "decode/scoring/shortlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "core/excerpt.h"
#include "core/file.h"
#include "core/number.h"

namespace attend::decode {
namespace {

using text::TokenId;

/// A piece and its probability.
struct ProbablePiece {
  TokenId token = text::kUnk;
  double probability = 0.0;
};

struct LexiconLine {
  std::string_view target;
  std::string_view source;
  double probability = 0.0;
};

std::optional<LexiconLine> parse_lexicon_line(std::string_view line) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const std::string_view target = line.substr(0, first);
  const std::string_view source = line.substr(first + 1, last - first - 1);
  if (target.empty() || source.empty() || source.find(' ') != std::string_view::npos)
    return std::nullopt;
  const auto probability = number_in<double>(line.substr(last + 1));
  if (!probability || !(*probability >= 0.0 && *probability <= 1.0)) return std::nullopt;
  return LexiconLine{target, source, *probability};
}

std::unordered_map<std::string_view, TokenId> ids_by_piece(const text::Tokenizer& tokenizer) {
  std::unordered_map<std::string_view, TokenId> ids;
  for (TokenId id = 0; id < tokenizer.size(); ++id) ids.emplace(tokenizer.piece(id), id);
  return ids;
}

/// At most `most` pieces of a row, the most probable ones; ties go to the lower ids.
std::vector<TokenId> best_of_row(std::vector<ProbablePiece> row, int64_t most) {
  std::sort(row.begin(), row.end(), [](const ProbablePiece& a, const ProbablePiece& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.token < b.token;
  });
  row.resize(std::min(row.size(), static_cast<std::size_t>(most)));
  std::vector<TokenId> tokens;
  for (const ProbablePiece& piece : row) tokens.push_back(piece.token);
  return tokens;
}

class ShortlistReader {
 public:
  ShortlistReader(const std::filesystem::path& file, const text::Tokenizer& source,
                  const text::Tokenizer& target)
      : lines_(file),
        vocabulary_(target.size()),
        sources_(ids_by_piece(source)),
        targets_(ids_by_piece(target)),
        by_source_(static_cast<std::size_t>(source.size())) {}

  Shortlist read(const ShortlistSizes& sizes) {
    while (const auto line = lines_.next()) add(*line);
    if (seen_.empty()) throw DataError(lines_.path(), "is empty; " + expected());
    if (frequent_.empty() && sizes.first > 0) {
      throw DataError(
          lines_.path(),
          fmt::format(
              "has no line with the source {}, so the frequencies of target pieces are unknown; "
              "make the table with `attend lexicon`, or take 0 of the most frequent pieces",
              kNoSource));
    }
    std::vector<std::vector<TokenId>> by_source;
    for (auto& row : by_source_) by_source.push_back(best_of_row(std::move(row), sizes.best));
    return {vocabulary_, best_of_row(std::move(frequent_), sizes.first), std::move(by_source)};
  }

 private:
  static std::string expected() {
    return fmt::format(
        "expected lines \"TARGET SOURCE P\": two pieces (or {} as SOURCE) and a probability from 0 "
        "to 1, separated by single spaces, as `attend lexicon` writes them",
        kNoSource);
  }

  [[noreturn]] void fail_in_line(const std::string& message) const {
    throw DataError(lines_.path(), lines_.line_number(), message);
  }

  [[nodiscard]] TokenId find(const std::unordered_map<std::string_view, TokenId>& ids,
                             std::string_view piece, const char* side) const {
    const auto found = ids.find(piece);
    if (found != ids.end()) return found->second;
    fail_in_line(fmt::format(
        "the model has no {} piece \"{}\"; the table was made with other tokenizers or has source "
        "and target swapped; make it with `attend lexicon --model` and this model",
        side, excerpt(piece)));
  }

  void add(const std::string& line) {
    const auto parsed = parse_lexicon_line(line);
    if (!parsed) fail_in_line(fmt::format("\"{}\"; {}", excerpt(line), expected()));
    const bool is_frequency = parsed->source == kNoSource;
    const TokenId target = find(targets_, parsed->target, "target");
    const TokenId source = is_frequency ? -1 : find(sources_, parsed->source, "source");
    if (!seen_.insert((int64_t{source} + 1) * vocabulary_ + target).second)
      fail_in_line(fmt::format("\"{}\" occurs twice for this source", excerpt(parsed->target)));
    auto& row = is_frequency ? frequent_ : by_source_[static_cast<std::size_t>(source)];
    row.push_back({target, parsed->probability});
  }

  LineReader lines_;
  int64_t vocabulary_;
  std::unordered_map<std::string_view, TokenId> sources_, targets_;
  std::vector<ProbablePiece> frequent_;
  std::vector<std::vector<ProbablePiece>> by_source_;
  std::unordered_set<int64_t> seen_;  // (source, target) pairs
};

void check_sizes(const ShortlistSizes& sizes, int64_t vocabulary) {
  if (sizes.first < 0 || sizes.best < 0 || sizes.first + sizes.best == 0) {
    throw UsageError(fmt::format(
        "the shortlist takes the {} most frequent target pieces and the {} best of each "
        "source piece; expected two numbers from 0, at least one above 0",
        sizes.first, sizes.best));
  }
  for (const int64_t size : {sizes.first, sizes.best}) {
    if (size < vocabulary) continue;
    throw UsageError(fmt::format(
        "a shortlist of {} pieces would have no effect: the target vocabulary has {}; take fewer "
        "pieces, or leave the shortlist out",
        size, vocabulary));
  }
}

}  // namespace

Shortlist::Shortlist(int64_t vocabulary, std::vector<TokenId> always,
                     std::vector<std::vector<TokenId>> by_source)
    : vocabulary_(vocabulary), always_(std::move(always)), by_source_(std::move(by_source)) {
  const auto check = [vocabulary](const std::vector<TokenId>& tokens) {
    for (const TokenId token : tokens) {
      if (token < 0 || token >= vocabulary)
        throw std::logic_error("the shortlist has pieces outside the vocabulary");
    }
  };
  check(always_);
  for (const auto& row : by_source_) check(row);
}

std::vector<TokenId> Shortlist::candidates(std::span<const TokenId> source,
                                           std::span<const TokenId> prefix) const {
  std::vector<uint8_t> listed(static_cast<std::size_t>(vocabulary_), 0);
  const auto list = [&listed](std::span<const TokenId> tokens) {
    for (const TokenId token : tokens) listed[static_cast<std::size_t>(token)] = 1;
  };
  std::fill_n(listed.begin(), std::min(int64_t{text::kSpecialSymbols}, vocabulary_), uint8_t{1});
  list(always_);
  for (const TokenId token : prefix) listed.at(static_cast<std::size_t>(token)) = 1;
  for (const TokenId token : source) {
    const auto row = static_cast<std::size_t>(token);
    if (row < by_source_.size()) list(by_source_[row]);
  }
  std::vector<TokenId> candidates;
  for (TokenId token = 0; token < vocabulary_; ++token) {
    if (listed[static_cast<std::size_t>(token)] != 0) candidates.push_back(token);
  }
  return candidates;
}

Shortlist read_shortlist(const std::filesystem::path& file, const text::Tokenizer& source,
                         const text::Tokenizer& target, const ShortlistSizes& sizes) {
  check_sizes(sizes, target.size());
  return ShortlistReader(file, source, target).read(sizes);
}

}  // namespace attend::decode
