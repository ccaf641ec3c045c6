#include "metrics/tokenizer/tokenizers.h"

#include <fmt/format.h>

#include <array>

#include "core/closest_name.h"
#include "core/error.h"
#include "metrics/tokenizer/tokenize_13a.h"
#include "metrics/tokenizer/tokenize_char.h"
#include "metrics/tokenizer/tokenize_intl.h"
#include "metrics/tokenizer/tokenize_zh.h"

namespace attend::metrics {
namespace {

struct Entry {
  std::string_view name;
  TokenizeFunction tokenize;
};

std::string tokenize_none(std::string_view line) {
  return std::string(line);
}

// To add a tokenizer for BLEU, add a file and a line here.
constexpr std::array kTokenizers{
    Entry{"13a", tokenize_13a},   Entry{"none", tokenize_none}, Entry{"intl", tokenize_intl},
    Entry{"char", tokenize_char}, Entry{"zh", tokenize_zh},
};

}  // namespace

TokenizeFunction find_tokenizer(std::string_view name) {
  for (const Entry& entry : kTokenizers) {
    if (entry.name == name) return entry.tokenize;
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
