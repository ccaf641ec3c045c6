#include "app/export/exported_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "core/error.h"
#include "core/fault_point.h"
#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using attend::test::read_text;
using attend::test::TempDir;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(ExportFolder, ReplacesAnEarlierExportOnlyIfToldTo) {
  const TempDir dir;
  const auto folder = dir / "export";
  write_export_folder(folder, {{"shared_vocabulary.json", "1"}, {"model.bin", "2"}}, false);
  dir.write("export/mine", "3");
  EXPECT_THAT(
      [&] {
        write_export_folder(folder, {{"model.bin", "4"}}, false);
      },
      ThrowsMessage<UsageError>(HasSubstr("overwrite")));
  EXPECT_EQ(read_text(folder / "model.bin"), "2");
  write_export_folder(folder, {{"source_vocabulary.json", "5"}, {"model.bin", "6"}}, true);
  EXPECT_EQ(read_text(folder / "model.bin"), "6");
  EXPECT_FALSE(std::filesystem::exists(folder / "shared_vocabulary.json"));
  EXPECT_EQ(read_text(folder / "mine"), "3");
}

TEST(ExportFolder, ReplacesNoFolderOfOtherFiles) {
  const TempDir dir;
  dir.write("config.json", "other work");
  EXPECT_THAT(
      [&] {
        write_export_folder(dir.path(), {{"config.json", "x"}}, true);
      },
      ThrowsMessage<UsageError>(HasSubstr("holds other files")));
  EXPECT_EQ(read_text(dir / "config.json"), "other work");
  EXPECT_THAT([&] { check_export_folder(dir / "config.json", true); },
              ThrowsMessage<UsageError>(HasSubstr("is a file")));
}

// Symptom: a killed export left a folder with config.json and weights, which looked whole.
TEST(ExportFolder, AppearsWhole) {
  const TempDir dir;
  const auto folder = dir / "export";
  const std::vector<ExportedFile> files = {{"config.json", "1"}, {"model.py", "2"}};
  EXPECT_EXIT(
      {
        plan_faults("kill=1,only=model.py");
        write_export_folder(folder, files, false);
      },
      testing::KilledBySignal(SIGKILL), "");
  EXPECT_FALSE(std::filesystem::exists(folder));
  write_export_folder(folder, files, false);
  EXPECT_EXIT(
      {
        plan_faults("kill=1,only=model.py");
        write_export_folder(folder, {{"config.json", "3"}, {"model.py", "4"}}, true);
      },
      testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(read_text(folder / "config.json"), "1") << "the earlier export stays";
  EXPECT_EQ(read_text(folder / "model.py"), "2");
}

TEST(ExportFolder, LeavesNoNewFolderIfAFileCannotBeWritten) {
  const TempDir dir;
  plan_faults("fail=1,only=model.bin");
  EXPECT_THROW(
      write_export_folder(dir / "export", {{"config.json", "1"}, {"model.bin", "2"}}, false),
      DataError);
  plan_faults("");
  EXPECT_FALSE(std::filesystem::exists(dir / "export"));
}

}  // namespace
}  // namespace attend::app
