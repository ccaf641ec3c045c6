#include "metrics/tokenizer/tokenizers.h"

#include <fmt/format.h>

#include <array>

#include "core/closest_name.h"
#include "core/error.h"
#include "metrics/tokenizer/tokenize_13a.h"
#include "metrics/tokenizer/tokenize_char.h"
#include "metrics/tokenizer/tokenize_flores.h"
#include "metrics/tokenizer/tokenize_intl.h"
#include "metrics/tokenizer/tokenize_ja_mecab.h"
#include "metrics/tokenizer/tokenize_zh.h"

namespace attend::metrics {
namespace {

struct Entry {
  std::string_view name;
  TokenizeFunction tokenize;
  void (*require)() = nullptr;  // throws if something is not installed
};

std::string tokenize_none(std::string_view line) {
  return std::string(line);
}

// To add a tokenizer for BLEU, add a file and a line here.
constexpr std::array kTokenizers{
    Entry{"13a", tokenize_13a},
    Entry{"none", tokenize_none},
    Entry{"intl", tokenize_intl},
    Entry{"char", tokenize_char},
    Entry{"zh", tokenize_zh},
    Entry{"ja-mecab", tokenize_ja_mecab, require_mecab},
    Entry{"flores101", tokenize_flores101, require_flores101},
    Entry{"flores200", tokenize_flores200, require_flores200},
};

}  // namespace

TokenizeFunction find_tokenizer(std::string_view name) {
  for (const Entry& entry : kTokenizers) {
    if (entry.name != name) continue;
    if (entry.require != nullptr) entry.require();
    return entry.tokenize;
  }
  const auto names = tokenizer_names();
  throw UsageError(fmt::format("unknown BLEU tokenizer \"{}\"{}; choices: {}", name,
                               did_you_mean(name, names), join(names)));
}

std::vector<std::string> tokenizer_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kTokenizers) names.emplace_back(entry.name);
  return names;
}

}  // namespace attend::metrics
