#include "text/line_changes.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "text/characters.h"
#include "text/icu_status.h"

namespace attend::text {
namespace {

icu::StringPiece piece_of(std::string_view line) {
  return {line.data(), static_cast<int32_t>(line.size())};
}

/// A run of letters in a line's characters.
struct LetterRun {
  std::size_t begin = 0;
  std::size_t size = 0;
};

/// The runs of at least four letters.
std::vector<LetterRun> long_words(std::u32string_view line) {
  constexpr std::size_t kFewest = 4;
  std::vector<LetterRun> words;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && is_letter(line[i])) continue;
    if (i - begin >= kFewest) words.push_back({begin, i - begin});
    begin = i + 1;
  }
  return words;
}

std::u32string letters_of(std::u32string_view line) {
  std::u32string letters;
  for (const char32_t code : line) {
    if (is_letter(code)) letters += code;
  }
  return letters;
}

/// `word` with one typing error after its first letter. `letters`: the letters to choose from.
std::u32string mistyped(std::u32string word, const std::u32string& letters, Random& random) {
  const std::size_t place = 1 + random.below(word.size() - 1);
  switch (random.below(4)) {
    case 0:
      std::swap(word[place], word[place == word.size() - 1 ? place - 1 : place + 1]);
      break;
    case 1:
      word.erase(place, 1);
      break;
    case 2:
      word.insert(place, 1, word[place]);
      break;
    default:
      word[place] = letters[random.below(letters.size())];
  }
  return word;
}

}  // namespace

std::string upper_case(std::string_view line) {
  std::string upper;
  icu::StringByteSink<std::string> sink(&upper);
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToUpper("", 0, piece_of(line), sink, nullptr, status);
  check_icu(status);
  return upper;
}

std::string title_case(std::string_view line) {
  std::string title;
  icu::StringByteSink<std::string> sink(&title);
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToTitle("", U_TITLECASE_NO_LOWERCASE, nullptr, piece_of(line), sink, nullptr,
                            status);
  check_icu(status);
  return title;
}

std::string without_final_mark(std::string_view line) {
  std::string_view rest = line.substr(0, trimmed(line, {0, line.size()}).end);
  bool has_mark = false;
  while (!rest.empty()) {
    const utf8::Character last = last_character(rest);
    if (u_hasBinaryProperty(static_cast<UChar32>(last.code), UCHAR_S_TERM)) {
      has_mark = true;
    } else if (!is_blank(last.code)) {
      break;
    }
    rest.remove_suffix(last.bytes);
  }
  return std::string(has_mark && !rest.empty() ? rest : line);
}

std::string with_typos(std::string_view line, Random& random) {
  constexpr double kShare = 0.1;
  std::u32string text = utf8::decode(line);
  const std::vector<LetterRun> words = long_words(text);
  if (words.empty()) return std::string(line);
  const std::u32string letters = letters_of(text);
  const std::size_t surely = random.below(words.size());
  for (std::size_t i = words.size(); i-- > 0;) {  // from the end: an error moves the words after it
    const bool slips = random.uniform() < kShare || i == surely;
    const auto [begin, size] = words[i];
    if (slips) text.replace(begin, size, mistyped(text.substr(begin, size), letters, random));
  }
  return utf8::encode(text);
}

}  // namespace attend::text
