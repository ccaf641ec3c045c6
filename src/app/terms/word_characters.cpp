#include "app/terms/word_characters.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "core/utf8.h"

namespace attend::app {

bool is_of_word(char32_t character) {
  const auto code = static_cast<UChar32>(character);
  return u_isalnum(code) != 0 || (U_GET_GC_MASK(code) & U_GC_M_MASK) != 0;
}

bool is_unspaced(char32_t character) {
  UErrorCode error = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(static_cast<UChar32>(character), &error);
  if (U_FAILURE(error) != 0) return false;
  return uscript_breaksBetweenLetters(script) != 0 || script == USCRIPT_TIBETAN;
}

std::u32string folded(std::u32string_view text) {
  std::u32string characters(text);
  for (char32_t& c : characters)
    c = static_cast<char32_t>(u_foldCase(static_cast<UChar32>(c), U_FOLD_CASE_DEFAULT));
  return characters;
}

std::u32string written(std::string_view piece) {
  if (piece.starts_with(kPieceSpace)) piece.remove_prefix(kPieceSpace.size());
  return utf8::decode(piece);
}

}  // namespace attend::app
