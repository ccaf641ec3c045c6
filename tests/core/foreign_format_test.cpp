#include "core/foreign_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/utf8.h"
#include "tests/support/gzip.h"
#include "tests/support/temp_dir.h"

namespace attend {
namespace {

using test::gzip;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using namespace std::literals;

std::string utf16(std::string_view text, bool big) {
  std::string bytes;
  for (const char32_t code : utf8::decode(text)) {
    const char high = static_cast<char>(code >> 8U);
    const char low = static_cast<char>(code & 0xFFU);
    bytes += big ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

class ForeignFormatTest : public testing::Test {
 protected:
  auto reading(const std::string& bytes, const std::string& name = "a") {
    return [this, bytes, name] { (void)LineReader(dir_.write(name, bytes)).next(); };
  }
  test::TempDir dir_;
};

// The bytes are those of each tool for the text "Hi\n", or the signature in its specification.
TEST_F(ForeignFormatTest, ArchivesAndDocumentsAreNotReadAsText) {
  const std::pair<std::string, const char*> cases[] = {
      {"\xFD\x37\x7A\x58\x5A\0\0\x04\xE6\xD6\xB4\x46"s, "is an xz file"},
      {"BZh91AY&SY\x4B\xE3\xB7\xB7"s, "is a bzip2 file"},
      {"BZh1\x17\x72\x45\x38\x50\x90\0\0\0\0"s, "is a bzip2 file"},
      {"\x28\xB5\x2F\xFD\x04\x58\x19\0\0Hi\n"s, "is a zstd file"},
      {"PK\x03\x04\x0A\0\0\0"s, "is a zip archive"},
      {"\x1F\x9D\x90Hi"s, "is a compress file"},
      {"\x04\x22\x4D\x18\x64\x40"s, "is an lz4 file"},
      {"LZIP\x01\x0C"s, "is an lzip file"},
      {"7z\xBC\xAF\x27\x1C\0\x04"s, "is a 7z archive"},
      {"Rar!\x1A\x07\x01\0"s, "is a rar archive"},
      {"%PDF-1.7\n%\xE2\xE3"s, "is a PDF document"},
      {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0"s, "is an old Word or Excel document"},
      {"corpus.en"s + std::string(248, '\0') + "ustar  \0"s + std::string(247, '\0'),
       "is a tar archive"}};
  for (const auto& [bytes, what] : cases) {
    EXPECT_THAT(reading(bytes), ThrowsMessage<DataError>(HasSubstr(what)));
    EXPECT_THAT(reading(gzip(bytes)),
                ThrowsMessage<DataError>(AllOf(HasSubstr(what), HasSubstr("with gzip"))));
  }
}

TEST_F(ForeignFormatTest, Utf16IsRefusedInEveryScriptWithAndWithoutMark) {
  const char* texts[] = {
      "What did Anna repair?\nA bike.\n", "Что починила Анна?\r\nВелосипед.\r\n",
      "安娜修了什么？\n自行车。\n",       "　アンナは何を直したの。\n　じてんしゃです。\n",
      "안나는 무엇을 고쳤니?\n자전거.\n", "แอนนาซ่อมอะไร\nจักรยาน\n",
      "अन्ना ने क्या ठीक किया?\nसाइकिल।\n",  "અન્નાએ શું સમારકામ કર્યું?\nસાયકલ.\n",
      "ماذا أصلحت آنا؟\nدراجة.\n",        "A first line that does not end yet"};
  for (const std::string text : texts) {
    for (const bool big : {false, true}) {
      const auto refused = [&](const char* command) {
        return ThrowsMessage<DataError>(AllOf(HasSubstr("UTF-16 text"), HasSubstr(command)));
      };
      EXPECT_THAT(reading(utf16(text, big)),
                  refused(big ? "iconv -f UTF-16BE -t UTF-8" : "iconv -f UTF-16LE -t UTF-8"))
          << text;
      EXPECT_THAT(reading(utf16("\uFEFF" + text, big)), refused("iconv -f UTF-16 -t UTF-8"));
      EXPECT_THAT(reading(gzip(utf16(text, big))), refused("gzip -dc"));
    }
  }
  EXPECT_THAT(reading("\xFF\xFE\0\0H\0\0\0"s), ThrowsMessage<DataError>(HasSubstr("UTF-32 text")));
}

TEST_F(ForeignFormatTest, TextThatBeginsAlmostLikeAnArchiveIsRead) {
  const std::vector<std::string> texts = {"B",
                                          "BZh",
                                          "BZh9 is no archive",
                                          "PK",
                                          "P",
                                          "(",
                                          "7z",
                                          "%PDF",
                                          "\xFD",
                                          "\x1F",
                                          "Rar!",
                                          "a\0b"s,
                                          "\0\0"s,
                                          "\0"s,
                                          "a\0b\n\0\nc"s,
                                          "caf\xE9 cr\xE8me",
                                          "日本語",
                                          "Привет"};
  for (const std::string& text : texts) {
    EXPECT_NO_THROW(reading(text)());
    EXPECT_NO_THROW(reading(text + "\nnext\n")());
    EXPECT_NO_THROW(reading(gzip(text + "\nnext\n"))());
  }
}

TEST_F(ForeignFormatTest, TheMessageNamesTheCommandThatConvertsTheFile) {
  const auto format = foreign_format("\xFD\x37\x7A\x58\x5A\0"sv);
  ASSERT_TRUE(format);
  EXPECT_THAT(foreign_message(*format, "my text/a.xz", false),
              EndsWith("Convert it: xz -dc 'my text/a.xz' > 'my text/a.xz.txt'"));
  EXPECT_THAT(foreign_message(*format, "a.gz", true),
              EndsWith("Convert it: gzip -dc a.gz | xz -dc > a.gz.txt"));
  EXPECT_THAT(foreign_message(*format, "standard input", false),
              EndsWith("Convert it: xz -dc FILE > FILE.txt"));
}

// A pipe may hand over the first bytes one at a time, and an idle terminal only one line.
TEST_F(ForeignFormatTest, WaitsOnlyWhileTheBytesMayBeginAnArchive) {
  EXPECT_TRUE(may_become_foreign("BZh9"));
  EXPECT_TRUE(may_become_foreign("\xFF"));
  EXPECT_FALSE(may_become_foreign("BZh0"));
  EXPECT_FALSE(may_become_foreign("B\n"));
  EXPECT_FALSE(may_become_foreign("\n"));
  EXPECT_FALSE(may_become_foreign("a"));
}

}  // namespace
}  // namespace attend
