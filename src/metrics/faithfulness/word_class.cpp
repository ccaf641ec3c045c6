#include "metrics/faithfulness/word_class.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <utility>

#include "core/utf8.h"
#include "metrics/unicode_text.h"

namespace attend::metrics {
namespace {

bool is_letter_or_digit(char32_t code) {
  return u_isalnum(static_cast<UChar32>(code)) != 0;
}

}  // namespace

std::string bare_word(std::string_view word) {
  const std::u32string all = utf8::decode(lower_case(word));
  const auto begin = std::ranges::find_if(all, is_letter_or_digit);
  const auto end = std::find_if(all.rbegin(), all.rend(), is_letter_or_digit).base();
  return begin < end ? utf8::encode(std::u32string(begin, end)) : "";
}

FunctionWords::FunctionWords(const std::vector<std::string>& words) {
  for (const std::string& word : words) words_.insert(bare_word(word));
}

WordClass FunctionWords::class_of(std::string_view word) const {
  const std::string bare = bare_word(word);
  return bare.empty() || words_.contains(bare) ? WordClass::function : WordClass::content;
}

void WordCounts::add(std::string_view line) {
  for (const std::string_view word : split_whitespace(line)) {
    std::string bare = bare_word(word);
    if (!bare.empty()) ++counts_[std::move(bare)];
  }
}

std::vector<std::string> WordCounts::most_frequent(std::size_t most) const {
  std::vector<std::pair<std::string, std::size_t>> words(counts_.begin(), counts_.end());
  std::ranges::sort(words, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (words.size() > most) words.resize(most);
  std::vector<std::string> result;
  for (auto& [word, count] : words) result.push_back(std::move(word));
  return result;
}

}  // namespace attend::metrics
