#pragma once
// Debian's libsentencepiece carries and exports an old protobuf of its own. LibTorch uses the
// system's protobuf, of another version, under the same symbol names: linked into one program, one
// library ends up in the other's code and the program dies before main(). So the only code that
// touches SentencePiece is a module of its own (module.cpp), loaded at run time with its symbols
// kept apart (RTLD_LOCAL and RTLD_DEEPBIND), behind the interfaces below.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/utf8.h"

namespace attend::text {

/// A piece of a line, numbered as the model file numbers it; `span` in bytes of what was encoded.
struct SentencePiece {
  int id = 0;
  std::string text;
  utf8::Span span;
};

/// Pieces put together again, with the end of each one in the text.
struct JoinedPieces {
  std::string text;
  std::vector<std::size_t> ends;
};

/// A model file. All functions may be called from several threads.
class SentencePieceModel {
 public:
  virtual ~SentencePieceModel();

  /// Pieces, special symbols included.
  [[nodiscard]] virtual int size() const = 0;
  [[nodiscard]] virtual std::string piece(int id) const = 0;
  /// Padding, unknown, begin and end of sentence, in this order; -1 for one that the model does not
  /// have.
  [[nodiscard]] virtual std::vector<int> special_ids() const = 0;

  [[nodiscard]] virtual std::vector<int> encode(std::string_view line) const = 0;
  [[nodiscard]] virtual std::vector<SentencePiece> encode_pieces(std::string_view line) const = 0;
  /// One way to cut the line, by the calling thread's generator, which starts from set_seed() when
  /// the thread first samples. Nothing if the model's type knows a single way.
  [[nodiscard]] virtual std::optional<std::vector<int>> sample(std::string_view line,
                                                               double alpha) const = 0;
  /// The same way, from the same draws, as pieces with their spans.
  [[nodiscard]] virtual std::optional<std::vector<SentencePiece>> sample_pieces(
      std::string_view line, double alpha) const = 0;
  /// As sample(), the thread's generator set to this seed before.
  [[nodiscard]] virtual std::optional<std::vector<int>> sample_from(std::string_view line,
                                                                    double alpha,
                                                                    uint32_t seed) const = 0;
  /// Text that is no piece of the model stands for itself.
  [[nodiscard]] virtual JoinedPieces join(const std::vector<std::string_view>& pieces) const = 0;
};

/// What training gave: a model file's bytes, or SentencePiece's own words on why not.
struct TrainedModel {
  std::string bytes;
  std::string error;
};

class SentencePieceLibrary {
 public:
  virtual ~SentencePieceLibrary();

  /// Null if `bytes` are no model.
  [[nodiscard]] virtual std::unique_ptr<SentencePieceModel> load(std::string_view bytes) const = 0;
  /// `arguments` as spm_train has them.
  [[nodiscard]] virtual TrainedModel train(
      const std::unordered_map<std::string, std::string>& arguments,
      std::vector<std::string> lines) const = 0;
  /// The seed of the generator of every thread that has not sampled yet.
  virtual void set_seed(uint32_t seed) const = 0;
};

/// The library, loaded at the first call. Throws UserError if the module is not there.
[[nodiscard]] const SentencePieceLibrary& sentencepiece();

}  // namespace attend::text
