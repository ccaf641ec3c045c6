#include "metrics/tokenizer/writing.h"

#include <unicode/uscript.h>

#include <algorithm>

#include "metrics/tokenizer/tokenize_ja_mecab.h"
#include "metrics/unicode_text.h"

namespace attend::metrics {
namespace {

constexpr double kOneWord = 1.5;          // words per line; with fewer, most lines are one word
constexpr double kSeparateLetters = 6.0;  // letters per word; with fewer, words are separated
constexpr double kSeparateWords = 2.0;    // words per line; with as many, words are separated
constexpr double kJapaneseKana = 0.1;     // share of kana among the letters of Japanese

/// The script of a character; USCRIPT_COMMON or USCRIPT_INHERITED for punctuation and digits.
UScriptCode script_of(char32_t code) {
  UErrorCode error = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(static_cast<UChar32>(code), &error);
  return U_SUCCESS(error) != 0 ? script : USCRIPT_UNKNOWN;
}

bool is_letter_script(UScriptCode script) {
  return script != USCRIPT_COMMON && script != USCRIPT_INHERITED && script != USCRIPT_UNKNOWN;
}

/// True if the script has no spaces between words. Tibetan marks only the end of syllables.
bool has_no_spaces(UScriptCode script) {
  return uscript_breaksBetweenLetters(script) != 0 || script == USCRIPT_TIBETAN;
}

bool is_kana(UScriptCode script) {
  return script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA;
}

bool is_chinese_script(UScriptCode script) {
  return script == USCRIPT_HAN || script == USCRIPT_BOPOMOFO;
}

int64_t count_of(const std::map<int, int64_t>& by_script, bool (*belongs)(UScriptCode)) {
  int64_t count = 0;
  for (const auto& [script, letters] : by_script) {
    if (belongs(static_cast<UScriptCode>(script))) count += letters;
  }
  return count;
}

double ratio(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Writing::Writing(std::span<const std::string> lines) {
  const auto enough = std::min(lines.size(), static_cast<std::size_t>(kEnough));
  for (const std::string& line : lines.first(enough)) add(line);
}

void Writing::add(std::string_view line) {
  const auto words = static_cast<int64_t>(split_whitespace(line).size());
  if (words == 0) return;
  ++lines_;
  words_ += words;
  while (!line.empty()) {
    const Character next = first_character(line);
    line.remove_prefix(next.bytes.size());
    const UScriptCode script = script_of(next.code);
    if (!is_letter_script(script)) continue;
    ++letters_;
    ++by_script_[script];
  }
}

double Writing::words_per_line() const {
  return ratio(words_, lines_);
}

bool Writing::has_one_word_per_line() const {
  return lines_ > 0 && words_per_line() < kOneWord;
}

int64_t Writing::letters_without_spaces() const {
  return count_of(by_script_, has_no_spaces);
}

bool Writing::is_japanese() const {
  return ratio(count_of(by_script_, is_kana), letters_) >= kJapaneseKana;
}

std::string Writing::tokenizer() const {
  const int64_t without = letters_without_spaces();
  if (2 * without <= letters_) return "13a";
  if (words_per_line() >= kSeparateWords && ratio(without, words_) < kSeparateLetters) return "13a";
  if (is_japanese()) return has_mecab() ? "ja-mecab" : "char";
  const bool chinese = 2 * count_of(by_script_, is_chinese_script) > without;
  return chinese ? "zh" : "char";
}

std::string Writing::better_than(std::string_view name) const {
  const std::string best = tokenizer();
  const bool splits_east_asian = name == "zh" || name == "ja-mecab";
  if (splits_east_asian) return best == "char" && !is_japanese() ? best : "";
  if (name != "13a" && name != "none" && name != "intl") return "";
  if (best != "13a") return best;
  return has_one_word_per_line() ? "char" : "";
}

std::string Writing::name() const {
  if (letters_ == 0) return "no letters";
  if (is_japanese()) return "Japanese";
  const auto most =
      std::ranges::max_element(by_script_, {}, [](const auto& script) { return script.second; });
  if (is_chinese_script(static_cast<UScriptCode>(most->first))) return "Chinese";
  return uscript_getName(static_cast<UScriptCode>(most->first));
}

}  // namespace attend::metrics
