#include "text/known_text.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "core/utf8.h"
#include "text/long_line.h"

namespace attend::text {
namespace {

constexpr int64_t kMostPieces = 500;
constexpr std::string_view kBlank = "\u2581";  // SentencePiece's sign for a blank

int64_t characters_of(std::string_view piece) {
  auto count = static_cast<int64_t>(utf8::length(piece));
  for (std::size_t at = piece.find(kBlank); at != std::string_view::npos;
       at = piece.find(kBlank, at + kBlank.size()))
    --count;
  return count;
}

}  // namespace

KnownText::KnownText(std::shared_ptr<const Tokenizer> tokenizer, const PieceCounts& counts)
    : tokenizer_(std::move(tokenizer)) {
  const auto vocabulary = static_cast<double>(counts.size());
  const auto pieces =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  Surprise all;
  for (std::size_t id = 0; id < counts.size(); ++id) {
    const auto count = static_cast<double>(counts[id]);
    nats_.push_back(std::log(pieces + vocabulary / 2) - std::log(count + 0.5));
    characters_.push_back(characters_of(tokenizer_->piece(static_cast<TokenId>(id))));
    if (id < kSpecialSymbols) continue;
    all.nats += count * nats_.back();
    all.characters += counts[id] * characters_.back();
  }
  nats_[kUnk] = std::log(pieces + vocabulary / 2) - std::log(0.5) + std::log(vocabulary);
  usual_ = all.per_character();
}

Surprise KnownText::surprise(std::string_view line) const {
  Surprise surprise;
  for (const Piece& piece : tokenizer_->encode_pieces(enough_of(line, *tokenizer_, kMostPieces))) {
    const auto id = static_cast<std::size_t>(piece.id);
    const bool unknown = piece.id == kUnk;  // may stand for several characters
    const int64_t characters = unknown ? characters_of(piece.text) : characters_[id];
    surprise.nats += nats_[id] * static_cast<double>(unknown ? characters : 1);
    surprise.characters += characters;
  }
  return surprise;
}

}  // namespace attend::text
