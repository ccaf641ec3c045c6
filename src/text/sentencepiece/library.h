#pragma once
// Debian's libsentencepiece contains and exports an old protobuf. LibTorch uses the system's
// protobuf, another version with the same symbol names. Linked into one program, one library would
// call the other's code and the program would crash before main(). So SentencePiece is used only in
// a module (module.cpp) that is loaded at run time with separate symbols (RTLD_LOCAL and
// RTLD_DEEPBIND), through the interfaces below.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/utf8.h"

namespace attend::text {

/// A piece of a line, with its id in the model file. `span` is in bytes of the encoded text.
struct SentencePiece {
  int id = 0;
  std::string text;
  utf8::Span span;
};

/// Joined pieces, with the end of each piece in the text.
struct JoinedPieces {
  std::string text;
  std::vector<std::size_t> ends;
};

/// A model file. Thread-safe.
class SentencePieceModel {
 public:
  virtual ~SentencePieceModel();

  /// The number of pieces, including special symbols.
  [[nodiscard]] virtual int size() const = 0;
  [[nodiscard]] virtual std::string piece(int id) const = 0;
  /// Ids of padding, unknown, begin and end of sentence, in this order; -1 if the model has none.
  [[nodiscard]] virtual std::vector<int> special_ids() const = 0;

  [[nodiscard]] virtual std::vector<int> encode(std::string_view line) const = 0;
  [[nodiscard]] virtual std::vector<SentencePiece> encode_pieces(std::string_view line) const = 0;
  /// A sampled segmentation; nothing if the model's type cannot sample. Uses the calling thread's
  /// generator, which takes the seed of set_seed() when the thread first samples.
  [[nodiscard]] virtual std::optional<std::vector<int>> sample(std::string_view line,
                                                               double alpha) const = 0;
  /// Like sample(), but returns pieces with spans. The same random numbers give the same pieces.
  [[nodiscard]] virtual std::optional<std::vector<SentencePiece>> sample_pieces(
      std::string_view line, double alpha) const = 0;
  /// Sets the seed of the thread's generator, then returns what sample() returns.
  [[nodiscard]] virtual std::optional<std::vector<int>> sample_from(std::string_view line,
                                                                    double alpha,
                                                                    uint32_t seed) const = 0;
  /// Joins pieces to text. A string that is not a piece of the model is kept as it is.
  [[nodiscard]] virtual JoinedPieces join(const std::vector<std::string_view>& pieces) const = 0;
};

/// The bytes of a trained model file, or SentencePiece's error message.
struct TrainedModel {
  std::string bytes;
  std::string error;
};

class SentencePieceLibrary {
 public:
  virtual ~SentencePieceLibrary();

  /// Returns null if `bytes` are not a model.
  [[nodiscard]] virtual std::unique_ptr<SentencePieceModel> load(std::string_view bytes) const = 0;
  /// `arguments` are those of spm_train.
  [[nodiscard]] virtual TrainedModel train(
      const std::unordered_map<std::string, std::string>& arguments,
      std::vector<std::string> lines) const = 0;
  /// Sets the seed for all threads that have not sampled yet.
  virtual void set_seed(uint32_t seed) const = 0;
};

/// The library, loaded on the first call. Throws UserError if the module cannot be loaded.
[[nodiscard]] const SentencePieceLibrary& sentencepiece();

}  // namespace attend::text
