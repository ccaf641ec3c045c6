#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.h"
#include "text/vocabulary.h"

namespace attend::text {

/// One piece of a line: its id, its text ("▁Hund") and the bytes of the original line that it
/// stands for.
struct Piece {
  TokenId id = kUnk;
  std::string text;
  utf8::Span span;
};

/// A detokenised line, with the bytes of it that each id produced (empty for special symbols).
struct Detokenized {
  std::string text;
  std::vector<utf8::Span> spans;
};

/// The order of the ids of a line.
enum class PieceOrder {
  kReading,   ///< that of the text
  kReversed,  ///< the last piece first, for models that write right to left
};

/// SentencePiece (Kudo & Richardson 2018, arXiv 1808.06226) with our fixed special ids, and
/// lower-casing in front where the config asks for it. Encoding never emits kBos or kEos: text such
/// as "</s>" is ordinary characters. Safe to use from several threads.
class Tokenizer {
 public:
  /// Throws ModelFileError if `model` is missing, not a SentencePiece model or one whose pieces are
  /// not well-formed UTF-8.
  Tokenizer(const std::filesystem::path& model, bool lowercase,
            PieceOrder order = PieceOrder::kReading);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  /// The order of all ids, pieces and spans that go in and come out.
  [[nodiscard]] PieceOrder order() const;

  [[nodiscard]] std::vector<TokenId> encode(std::string_view line) const;
  /// The same ids with their texts and spans.
  [[nodiscard]] std::vector<Piece> encode_pieces(std::string_view line) const;

  /// Ids back to text; kPad, kBos and kEos give nothing, kUnk gives U+2047. The text is one line: a
  /// piece that is a line feed (byte pieces of foreign models may be) gives a space.
  [[nodiscard]] std::string decode(std::span<const TokenId> ids) const;
  /// `unknown`: the texts (Piece::text) of the first kUnk of the text, where they are known.
  [[nodiscard]] Detokenized decode_with_spans(std::span<const TokenId> ids,
                                              std::span<const std::string> unknown = {}) const;

  /// The text of a piece; "<pad>", "<unk>", "<s>", "</s>" for the special ids.
  [[nodiscard]] const std::string& piece(TokenId id) const;
  /// Pieces, special symbols included.
  [[nodiscard]] int64_t size() const;
  /// The id of the piece with this text, beyond the special ones; nothing if there is none. Walks
  /// through all of them.
  [[nodiscard]] std::optional<TokenId> find(std::string_view piece) const;

  /// Encodes all `lines` with subword regularisation: BPE-dropout (Provilkov et al. 2020) for bpe
  /// models, sampling from the segmentation lattice (Kudo 2018) for unigram ones, with probability
  /// or smoothing `alpha`. The same `seed` gives the same ids, whatever was encoded before.
  [[nodiscard]] std::vector<std::vector<TokenId>> encode_sampled(std::span<const std::string> lines,
                                                                 double alpha, uint64_t seed) const;
  /// The line that `ids` (without special symbols but kUnk) are the usual pieces of, cut anew in
  /// the same way: what is encoded is the text that they stand for, an unknown one replaced by a
  /// character that no piece has. The same seed gives the same ids, on any thread.
  [[nodiscard]] std::vector<TokenId> sample_again(std::span<const TokenId> ids, double alpha,
                                                  uint64_t seed) const;
  /// encode_sampled()'s ids with their texts and spans.
  [[nodiscard]] std::vector<std::vector<Piece>> encode_pieces_sampled(
      std::span<const std::string> lines, double alpha, uint64_t seed) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace attend::text
