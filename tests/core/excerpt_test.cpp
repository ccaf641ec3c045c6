#include "core/excerpt.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(Excerpt, LeavesShortTextAlone) {
  EXPECT_EQ(excerpt("größe 12", 8), "größe 12");
  EXPECT_EQ(excerpt(""), "");
}

TEST(Excerpt, CutsByCharactersNotBytes) {
  EXPECT_EQ(excerpt("ääää", 3), "äää...");
}

TEST(Excerpt, CutsLongTextOnce) {
  EXPECT_EQ(excerpt(std::string(10'000'000, 'x'), 5), "xxxxx...");
}

// ESC and CSI (U+009B) start terminal control sequences.
TEST(Excerpt, ReplacesControlCharacters) {
  EXPECT_EQ(excerpt("a\x1b[2Jb\x7F\xC2\x9B\tc"), "a?[2Jb??\tc");
}

TEST(Excerpt, ReplacesIllFormedBytes) {
  EXPECT_EQ(excerpt("a\xFF"), "a\uFFFD");
}

TEST(EscapeControls, EscapesWhatATerminalWouldInterpret) {
  EXPECT_EQ(escape_controls("a\x1b[2Jb\r\n\t\x7f\xC2\x9b"), "a\\x1b[2Jb\\x0d\\n\\t\\x7f\\x9b");
  EXPECT_EQ(escape_controls("\u202Etxt.exe\u2066"), "\\u202etxt.exe\\u2066");
}

TEST(EscapeControls, LeavesOtherTextAlone) {
  EXPECT_EQ(escape_controls("Größe 漢字 \xFF"), "Größe 漢字 \uFFFD");
}

}  // namespace
}  // namespace attend
