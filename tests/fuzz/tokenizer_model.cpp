// Untrusted SentencePiece models. The input is a part of a model file (normalisation rules, pieces)
// that is appended to a trained model and so changes it. An accepted model must not access memory
// out of bounds for any text. SentencePiece itself is not instrumented, so only accesses far
// outside are detected.
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "tests/fuzz/support.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"

namespace {

namespace text = attend::text;

std::string train_model() {
  constexpr int64_t kLines = 300;
  attend::LineReader corpus(ATTEND_SOURCE_DIR "/data/quickstart/train.de");
  text::TokenizerOptions options;
  options.vocabulary = 200;
  const auto next = [&]() -> std::optional<std::string> {
    if (corpus.line_number() == kLines) return std::nullopt;
    return corpus.next();
  };
  return text::train_tokenizer(options, false, next);
}

const std::string& trained() {
  static const std::string model = train_model();
  return model;
}

void use(const text::Tokenizer& tokenizer) {
  for (const std::string line :
       {"", "a", "aaa aaaa", "ein Hund läuft", "\xEF\xBB\xBFﬁ １ ǅ", "日本"}) {
    const std::vector<text::TokenId> ids = tokenizer.encode(line);
    for (const text::Piece& piece : tokenizer.encode_pieces(line))
      attend::fuzz::require(piece.span.end <= line.size(), "spans lie in the line");
    (void)tokenizer.decode(ids);
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  (void)trained();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static attend::fuzz::MemoryFile file;
  try {
    const text::Tokenizer tokenizer(
        file.holding(trained() + std::string(attend::fuzz::text_of(data, size))), false);
    use(tokenizer);
  } catch (const attend::ModelFileError& error) {
    attend::fuzz::require(*error.what() != '\0', "a refusal says why");
  }
  return 0;
}
