#include "text/sentencepiece/module_path.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::text {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModuleFile = "attend_sentencepiece.so";

void touch(const fs::path& folder) {
  fs::create_directories(folder);
  std::ofstream(folder / kModuleFile) << "a module";
}

/// The module of a program in the folder `program`, as a path in the tree.
std::string found(const attend::test::TempDir& tree, const std::string& program) {
  return find_module(tree / program).lexically_relative(tree.path()).string();
}

TEST(ModulePath, IsFoundInABuildFolderAnInstallationAndBesideTheProgram) {
  const attend::test::TempDir tree;
  touch(tree / "src/text");
  EXPECT_EQ(found(tree, "src/cli"), "src/text/attend_sentencepiece.so");
  EXPECT_EQ(found(tree, "tests/text"), "src/text/attend_sentencepiece.so");
  touch(tree / "src/lib/attend");
  EXPECT_EQ(found(tree, "src/cli"), "src/lib/attend/attend_sentencepiece.so");
  touch(tree / "src/cli");
  EXPECT_EQ(found(tree, "src/cli"), "src/cli/attend_sentencepiece.so");
}

// Symptom: a program that was copied without its module used that of the build folder.
TEST(ModulePath, NamesNoFolderOfTheBuild) {
  for (const fs::path& place : module_places("/opt/attend/bin"))
    EXPECT_TRUE(place.string().starts_with("/opt/")) << place;
}

TEST(ModulePath, SaysWhereAMissingModuleWasExpected) {
  const attend::test::TempDir tree;
  EXPECT_THAT([&] { (void)find_module(tree / "bin"); },
              testing::ThrowsMessage<UserError>(testing::AllOf(
                  testing::HasSubstr("attend_sentencepiece.so, a part of attend, is missing"),
                  testing::HasSubstr((tree / "bin/attend_sentencepiece.so").string()),
                  testing::HasSubstr((tree / "lib/attend/attend_sentencepiece.so").string()),
                  testing::HasSubstr("Install attend again"))));
}

// Symptom: a failed part of the installation ended with exit code 1, which stands for our bugs.
TEST(ModulePath, ReportsAMissingModuleAsAMissingFile) {
  const attend::test::TempDir tree;
  try {
    (void)find_module(tree / "bin");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kData);
  }
}

}  // namespace
}  // namespace attend::text
