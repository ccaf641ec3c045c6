#include "core/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ostream>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using namespace std::literals;

std::size_t count_files(const std::filesystem::path& folder) {
  const auto files = std::filesystem::directory_iterator(folder);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

class FileTest : public testing::Test {
 protected:
  test::TempDir dir_;
};

TEST_F(FileTest, ReadsAllBytes) {
  EXPECT_EQ(read_file(dir_.write("a", "x\r\n\0\xFF"sv)), "x\r\n\0\xFF"s);
  EXPECT_EQ(read_file(dir_.write("b", "")), "");
}

TEST_F(FileTest, ReadsAFileThatReportsNoSize) {
  EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Name:"));
}

TEST_F(FileTest, ReportsWhyItCannotRead) {
  EXPECT_THAT([&] { (void)read_file(dir_ / "none"); },
              ThrowsMessage<DataError>(HasSubstr("No such file")));
  EXPECT_THAT([&] { (void)read_file(dir_.path()); },
              ThrowsMessage<DataError>(HasSubstr("is a folder")));
}

TEST_F(FileTest, ReplacesAFileAndLeavesNothingBeside) {
  const auto file = dir_.write("a", "old");
  write_file_atomically(file, "new\0!"sv);
  EXPECT_EQ(test::read_text(file), "new\0!"s);
  EXPECT_EQ(count_files(dir_.path()), 1U);
}

TEST_F(FileTest, KeepsTheOldFileIfWritingFails) {
  const auto file = dir_.write("a", "old");
  const auto write = [](std::ostream& stream) {
    stream << "half";
    throw std::runtime_error("stopped");
  };
  EXPECT_THROW(write_file_atomically(file, write), std::runtime_error);
  EXPECT_EQ(test::read_text(file), "old");
  EXPECT_EQ(count_files(dir_.path()), 1U);
}

TEST_F(FileTest, WritesThroughALink) {
  const auto file = dir_.write("a", "old");
  std::filesystem::create_symlink(file, dir_ / "link");
  write_file_atomically(dir_ / "link", "new");
  EXPECT_EQ(test::read_text(file), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(dir_ / "link"));
}

TEST_F(FileTest, RejectsAFolderOrAPipe) {
  EXPECT_THAT([&] { write_file_atomically(dir_.path(), ""); },
              ThrowsMessage<DataError>(HasSubstr("a folder has this name")));
  ASSERT_EQ(::mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT([&] { write_file_atomically(dir_ / "pipe", ""); },
              ThrowsMessage<DataError>(HasSubstr("a device, pipe or socket")));
}

TEST_F(FileTest, NamesAMissingFolder) {
  EXPECT_THAT([&] { write_file_atomically(dir_ / "no" / "a", ""); },
              ThrowsMessage<DataError>(HasSubstr("there is no folder")));
}

}  // namespace
}  // namespace attend
