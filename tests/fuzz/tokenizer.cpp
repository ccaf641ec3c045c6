// Text to pieces and back, with small models trained on the bundled corpus.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/utf8.h"
#include "tests/fuzz/support.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"

namespace {

namespace text = attend::text;
using attend::fuzz::require;

text::Tokenizer make_tokenizer(text::TokenizerType type, text::Normalization normalization,
                               bool lowercase) {
  constexpr int64_t kLines = 300;
  const attend::test::TempDir folder;
  attend::LineReader corpus(ATTEND_SOURCE_DIR "/data/quickstart/train.de");
  text::TokenizerOptions options;
  options.type = type;
  options.normalization = normalization;
  options.vocabulary = 200;
  const auto next = [&]() -> std::optional<std::string> {
    if (corpus.line_number() == kLines) return std::nullopt;
    return corpus.next();
  };
  const std::string model = text::train_tokenizer(options, lowercase, next);
  return {folder.write("model", model), lowercase};
}

const std::array<text::Tokenizer, 3>& tokenizers() {
  static const std::array<text::Tokenizer, 3> all = {
      make_tokenizer(text::TokenizerType::bpe, text::Normalization::nmt_nfkc, false),
      make_tokenizer(text::TokenizerType::unigram, text::Normalization::nmt_nfkc_cf, true),
      make_tokenizer(text::TokenizerType::character, text::Normalization::identity, false)};
  return all;
}

void check_decoding(const text::Tokenizer& tokenizer, const std::vector<text::TokenId>& ids) {
  const text::Detokenized decoded = tokenizer.decode_with_spans(ids);
  require(decoded.text == tokenizer.decode(ids), "spans change no text");
  require(attend::utf8::is_valid(decoded.text), "decoded text is well-formed UTF-8");
  require(decoded.text.find('\n') == std::string::npos, "decoded text is one line");
  require(decoded.spans.size() == ids.size(), "a span for each id");
  for (const auto& span : decoded.spans)
    require(span.begin <= span.end && span.end <= decoded.text.size(), "spans lie in the text");
}

void check_line(const text::Tokenizer& tokenizer, const std::string& line) {
  const std::vector<text::TokenId> ids = tokenizer.encode(line);
  const std::vector<text::Piece> pieces = tokenizer.encode_pieces(line);
  require(ids.size() == pieces.size(), "a piece for each id");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    require(ids[i] == pieces[i].id, "the same ids with and without spans");
    require(ids[i] == text::kUnk || (ids[i] >= text::kSpecialSymbols && ids[i] < tokenizer.size()),
            "text gives no special symbols");
    require(pieces[i].span.begin <= pieces[i].span.end && pieces[i].span.end <= line.size(),
            "spans lie in the line");
  }
  check_decoding(tokenizer, ids);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  (void)tokenizers();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // As LineReader would return it.
  std::string line = attend::utf8::replace_invalid(attend::fuzz::text_of(data + 1, size - 1));
  check_line(tokenizers().at(data[0] % tokenizers().size()), line);
  return 0;
}
