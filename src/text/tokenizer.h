#pragma once
#include <filesystem>
#include <functional>
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
/// covers, without words that normalisation removes (U+200B between blanks).
struct Piece {
  TokenId id = kUnk;
  std::string text;
  utf8::Span span;
};

/// A detokenised line, with the bytes that each id produced (empty for special symbols).
struct Detokenized {
  std::string text;
  std::vector<utf8::Span> spans;
};

/// The order of the ids of a line.
enum class PieceOrder {
  kReading,   ///< the order of the text
  kReversed,  ///< the last piece first, for models that write right to left
};

/// SentencePiece (Kudo & Richardson 2018, arXiv 1808.06226) with our fixed special ids and optional
/// lower-casing. Encoding never emits kBos or kEos: text such as "</s>" is ordinary characters.
/// Thread-safe.
class Tokenizer {
 public:
  /// Throws ModelFileError if `model` is missing, is not a SentencePiece model, would make
  /// SentencePiece read outside the file (see model_check.h) or has pieces that are not well-formed
  /// UTF-8.
  Tokenizer(const std::filesystem::path& model, bool lowercase,
            PieceOrder order = PieceOrder::kReading);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  /// The order of ids, pieces and spans in all arguments and results.
  [[nodiscard]] PieceOrder order() const;

  [[nodiscard]] std::vector<TokenId> encode(std::string_view line) const;
  /// Like encode(), but returns the ids with their texts and spans.
  [[nodiscard]] std::vector<Piece> encode_pieces(std::string_view line) const;

  /// Converts ids to text. kPad, kBos and kEos give nothing, kUnk gives U+2047. The text is one
  /// line: a line-feed piece (a byte piece, see byte_fallback) gives a space.
  [[nodiscard]] std::string decode(std::span<const TokenId> ids) const;
  /// Like decode(), but with the span of each id. `unknown` holds the texts (Piece::text) of the
  /// first kUnk ids in reading order; further kUnk ids give U+2047.
  [[nodiscard]] Detokenized decode_with_spans(std::span<const TokenId> ids,
                                              std::span<const std::string> unknown = {}) const;

  /// The text of a piece; "<pad>", "<unk>", "<s>", "</s>" for the special ids. Throws
  /// std::out_of_range for an id that is not in the vocabulary.
  [[nodiscard]] const std::string& piece(TokenId id) const;
  /// The number of pieces, including special symbols.
  [[nodiscard]] int64_t size() const;
  /// The id of the piece with this text, not counting special symbols; nothing if there is none.
  /// Searches all pieces.
  [[nodiscard]] std::optional<TokenId> find(std::string_view piece) const;

  /// Encodes all `lines` with subword regularisation. `alpha` is the dropout probability of bpe
  /// models (BPE-dropout, Provilkov et al. 2020), and the smoothing of unigram models (sampling
  /// from the segmentation lattice, Kudo 2018). The same `seed` always gives the same ids. Throws
  /// ConfigError if the model cannot sample (char, word).
  [[nodiscard]] std::vector<std::vector<TokenId>> encode_sampled(std::span<const std::string> lines,
                                                                 double alpha, uint64_t seed) const;
  /// Resamples a line from its ids (no special symbols except kUnk): decodes them and encodes the
  /// text as encode_sampled() does. Each kUnk becomes a character that no piece contains, and so
  /// stays kUnk. The same seed gives the same ids on any thread. Throws as encode_sampled().
  [[nodiscard]] std::vector<TokenId> sample_again(std::span<const TokenId> ids, double alpha,
                                                  uint64_t seed) const;
  /// Decodes ids as sample_again() does, and encodes what `change` makes of the text.
  [[nodiscard]] std::vector<TokenId> encode_changed(
      std::span<const TokenId> ids,
      const std::function<std::string(std::string_view)>& change) const;
  /// Like encode_sampled(), but returns pieces with their texts and spans.
  [[nodiscard]] std::vector<std::vector<Piece>> encode_pieces_sampled(
      std::span<const std::string> lines, double alpha, uint64_t seed) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace attend::text
