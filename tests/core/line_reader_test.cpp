#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "tests/support/gzip.h"
#include "tests/support/temp_dir.h"

namespace attend {
namespace {

using test::gzip;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using namespace std::literals;

std::vector<std::string> read_all(LineReader& reader) {
  std::vector<std::string> lines;
  while (auto line = reader.next()) lines.push_back(*line);
  return lines;
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  LineReader reader(path);
  return read_all(reader);
}

class LineReaderTest : public testing::Test {
 protected:
  test::TempDir dir_;
};

// Files are read in blocks of 65,536 bytes.
TEST_F(LineReaderTest, ReportsTheFractionOfTheFileRead) {
  const std::string line(9, 'a');
  std::string text;
  for (int i = 0; i < 20000; ++i) text += line + "\n";
  LineReader reader(dir_.write("a", text));
  EXPECT_EQ(reader.share_read(), 0.0);
  for (const double share : {0.1, 0.2, 0.9, 1.0}) {
    while (reader.line_number() < std::lround(share * 20000)) (void)reader.next();
    EXPECT_NEAR(reader.share_read(), share, 1e-9);
  }
  LineReader endless("/dev/zero");
  EXPECT_EQ(endless.share_read(), 0.0);
}

TEST_F(LineReaderTest, ReturnsLinesWithTheirNumbers) {
  LineReader reader(dir_.write("a", "one\n\nthree"));
  EXPECT_EQ(reader.line_number(), 0);
  EXPECT_EQ(reader.next(), "one");
  EXPECT_EQ(reader.line_number(), 1);
  EXPECT_EQ(reader.next(), "");
  EXPECT_EQ(reader.next(), "three");
  EXPECT_EQ(reader.line_number(), 3);
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.next(), std::nullopt);
}

TEST_F(LineReaderTest, TellsHowEachLineEnds) {
  LineReader reader(dir_.write("a", "one\ntwo\r\n\r\nfour\r"));
  for (const char* end : {"\n", "\r\n", "\r\n", ""}) {
    ASSERT_TRUE(reader.next().has_value());
    EXPECT_EQ(reader.line_end(), end);
  }
}

TEST_F(LineReaderTest, AnEmptyFileHasNoLines) {
  EXPECT_TRUE(lines_of(dir_.write("a", "")).empty());
  EXPECT_TRUE(lines_of(dir_.write("b", "\xEF\xBB\xBF")).empty());
}

TEST_F(LineReaderTest, OnlyLineFeedEndsALine) {
  const auto file = dir_.write("a",
                               "a\r\nb\rc\xE2\x80\xA8"
                               "d\xC2\x85"
                               "e\x0B\x0C"
                               "f\r\r\ng\r");
  EXPECT_THAT(lines_of(file), ElementsAre("a",
                                          "b\rc\xE2\x80\xA8"
                                          "d\xC2\x85"
                                          "e\x0B\x0C"
                                          "f\r",
                                          "g\r"));
}

TEST_F(LineReaderTest, DropsAByteOrderMarkOnlyAtTheStart) {
  EXPECT_THAT(lines_of(dir_.write("a", "\xEF\xBB\xBFx\n\xEF\xBB\xBFy\n")),
              ElementsAre("x", "\xEF\xBB\xBFy"));
}

TEST_F(LineReaderTest, KeepsNulBytes) {
  EXPECT_THAT(lines_of(dir_.write("a", "a\0b\n\0\n"sv)), ElementsAre("a\0b"s, "\0"s));
}

TEST_F(LineReaderTest, ReplacesAndCountsInvalidUtf8) {
  LineReader reader(dir_.write("a", "fine\nx\xFFy\xFF\nfine\n\xC3\n"));
  EXPECT_THAT(read_all(reader),
              ElementsAre("fine", "x\xEF\xBF\xBDy\xEF\xBF\xBD", "fine", "\xEF\xBF\xBD"));
  EXPECT_EQ(reader.repaired_lines(), 2);
  EXPECT_EQ(reader.first_repaired_line(), 2);
}

TEST_F(LineReaderTest, ReadsLinesLongerThanItsBuffer) {
  const std::string longest(300'000, 'x');
  EXPECT_THAT(lines_of(dir_.write("a", "a\n" + longest + "\nb\n")), ElementsAre("a", longest, "b"));
}

TEST_F(LineReaderTest, RejectsALineWithoutEnd) {
  LineReader reader("/dev/zero");
  EXPECT_THAT([&] { (void)reader.next(); },
              ThrowsMessage<DataError>(HasSubstr("/dev/zero:1: the line is longer than 64 MiB")));
}

TEST_F(LineReaderTest, ReadsGzipWhateverTheNameAndWithSeveralMembers) {
  const std::string longest(300'000, 'x');
  const auto file = dir_.write("a.txt", gzip("one\ntw") + gzip("o\n" + longest + "\nend"));
  EXPECT_THAT(lines_of(file), ElementsAre("one", "two", longest, "end"));
}

// Tapes and disks pad files to whole blocks.
TEST_F(LineReaderTest, SkipsZerosAfterAGzipMember) {
  const std::string zeros(200'000, '\0');
  EXPECT_THAT(lines_of(dir_.write("a.gz", gzip("one\n") + zeros)), ElementsAre("one"));
  EXPECT_THAT(lines_of(dir_.write("b.gz", gzip("one\n") + zeros + gzip("two\n") + zeros)),
              ElementsAre("one", "two"));
}

TEST_F(LineReaderTest, NamesAGzipFileWithTrailingGarbage) {
  const auto file = dir_.write("a.gz", gzip("one\n") + std::string(2, '\0') + "no gzip");
  EXPECT_THAT([&] { lines_of(file); }, ThrowsMessage<DataError>(HasSubstr("damaged gzip data")));
}

TEST_F(LineReaderTest, NamesAGzipFileThatEndsTooEarly) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i * i) + "\n";
  const std::string packed = gzip(text);
  const auto file = dir_.write("a.gz", packed.substr(0, packed.size() / 2));
  EXPECT_THAT([&] { lines_of(file); }, ThrowsMessage<DataError>(AllOf(
                                           HasSubstr(file.string()), HasSubstr("ends too early"))));
}

TEST_F(LineReaderTest, NamesAGzipFileWithoutItsChecksum) {
  const std::string packed = gzip("one\n");
  const auto file = dir_.write("a.gz", packed.substr(0, packed.size() - 4));
  EXPECT_THAT([&] { lines_of(file); }, ThrowsMessage<DataError>(HasSubstr("ends too early")));
}

TEST_F(LineReaderTest, NamesADamagedGzipFile) {
  std::string packed = gzip("one\ntwo\n");
  packed[packed.size() - 6] ^= 0x55;  // in the checksum
  const auto file = dir_.write("a.gz", packed);
  EXPECT_THAT(
      [&] { lines_of(file); },
      ThrowsMessage<DataError>(AllOf(HasSubstr(file.string()), HasSubstr("damaged gzip data"))));
}

TEST_F(LineReaderTest, ReadsASingleByteThatLooksLikeGzip) {
  EXPECT_THAT(lines_of(dir_.write("a", "\x1f")), ElementsAre("\x1f"));
}

TEST_F(LineReaderTest, NamesAMissingFile) {
  EXPECT_THAT([&] { LineReader reader(dir_ / "none"); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("none: "), HasSubstr("No such file"))));
}

TEST_F(LineReaderTest, RejectsAFolder) {
  EXPECT_THAT([&] { LineReader reader(dir_.path()); },
              ThrowsMessage<DataError>(HasSubstr("is a folder")));
}

TEST_F(LineReaderTest, ReportsWhetherAPipeWouldBlock) {
  const auto pipe = dir_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int writer = ::open(pipe.c_str(), O_RDWR);
  LineReader reader(pipe);
  EXPECT_TRUE(reader.would_block());
  ASSERT_EQ(::write(writer, "a\nb\n", 4), 4);
  EXPECT_FALSE(reader.would_block());
  EXPECT_EQ(reader.next(), "a");
  EXPECT_FALSE(reader.would_block());  // "b" was read along with "a"
  EXPECT_EQ(reader.next(), "b");
  EXPECT_TRUE(reader.would_block());
  ::close(writer);
}

}  // namespace
}  // namespace attend
