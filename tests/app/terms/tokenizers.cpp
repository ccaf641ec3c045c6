#include "tests/app/terms/tokenizers.h"

#include <optional>
#include <utility>
#include <vector>

#include "tests/support/temp_dir.h"
#include "text/placeholders.h"
#include "text/tokenizer_training.h"

namespace attend::test {
namespace {

std::shared_ptr<const text::Tokenizer> trained(const text::TokenizerOptions& options,
                                               const std::string& line, bool lowercase,
                                               text::PieceOrder order,
                                               const std::vector<std::string>& symbols = {}) {
  std::vector<std::string> lines(3, line);
  const auto next = [&]() -> std::optional<std::string> {
    if (lines.empty()) return std::nullopt;
    std::string next_line = std::move(lines.back());
    lines.pop_back();
    return next_line;
  };
  const attend::test::TempDir dir;
  const auto file = dir.write("model", text::train_tokenizer(options, lowercase, next, symbols));
  return std::make_shared<text::Tokenizer>(file, lowercase, order);
}

}  // namespace

std::shared_ptr<const text::Tokenizer> character_tokenizer(const std::string& line) {
  text::TokenizerOptions options;
  options.type = text::TokenizerType::character;
  options.vocabulary = 30;
  return trained(options, line, false, text::PieceOrder::kReading);
}

std::shared_ptr<const text::Tokenizer> placeholder_tokenizer(const std::string& line,
                                                             text::PieceOrder order) {
  text::TokenizerOptions options;
  options.vocabulary = 80;
  return trained(options, line, false, order, text::placeholder_symbols());
}

std::shared_ptr<const text::Tokenizer> word_tokenizer(const std::string& line, bool lowercase,
                                                      text::PieceOrder order) {
  text::TokenizerOptions options;
  options.type = text::TokenizerType::word;
  options.vocabulary = 10;
  return trained(options, line, lowercase, order);
}

}  // namespace attend::test
