#include "tests/text/toy_model.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace attend::test {

text::NextLine from(std::vector<std::string> lines) {
  return [lines = std::move(lines), next = std::size_t{0}]() mutable -> std::optional<std::string> {
    if (next == lines.size()) return std::nullopt;
    return lines[next++];
  };
}

std::vector<std::string> toy_text() {
  return {"ein Hund läuft durch den Park", "zwei Hunde laufen durch den Schnee",
          "der Mann sieht den Hund",       "ein Mann und ein Hund schlafen",
          "die Hunde schlafen im Schnee",  "der Hund sieht die zwei Männer"};
}

std::filesystem::path toy_model(const TempDir& folder, text::TokenizerType type,
                                int64_t vocabulary) {
  text::TokenizerOptions options;
  options.type = type;
  options.vocabulary = vocabulary;
  return folder.write(fmt::format("{}.model", type),
                      text::train_tokenizer(options, false, from(toy_text())));
}

}  // namespace attend::test
