#include "app/model/loaded_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class ModelFolder : public testing::Test {
 protected:
  void add(const std::string& name) const {
    std::filesystem::create_directories(dir / name);
    dir.write(name + "/config.yaml", "");
    dir.write(name + "/best.safetensors", "");
  }
  std::string error_of(const std::string& name) const {
    try {
      (void)load_experiment(dir / name);
    } catch (const ModelFileError& error) {
      return error.what();
    }
    return "";
  }

  attend::test::TempDir dir;
};

TEST_F(ModelFolder, ThatIsMissingSuggestsTheNearestName) {
  add("runs/quickstart");
  EXPECT_THAT(error_of("runs/quikstart"),
              AllOf(HasSubstr("no such model folder; did you mean \"quickstart\"?"),
                    Not(HasSubstr("models in"))));
}

// Symptom: a wrong model folder did not say which models there are.
TEST_F(ModelFolder, ThatIsMissingListsTheModelsBesideIt) {
  add("runs/second");
  add("runs/first");
  std::filesystem::create_directories(dir / "runs/results");
  EXPECT_THAT(error_of("runs/en-de"), EndsWith("no such model folder; models in " +
                                               (dir / "runs").string() + ": first, second"));
}

TEST_F(ModelFolder, ThatIsTheFolderOfModelsListsThem) {
  add("runs/first");
  EXPECT_THAT(error_of("runs"),
              AllOf(HasSubstr("has no config.yaml"),
                    HasSubstr("; models in " + (dir / "runs").string() + ": first")));
}

TEST_F(ModelFolder, ListsAFewOfManyModels) {
  for (int i = 10; i < 20; ++i) add("runs/" + std::to_string(i));
  EXPECT_THAT(error_of("runs"), EndsWith(": 10, 11, 12, 13, 14, 15, 16, 17 and 2 more"));
}

}  // namespace
}  // namespace attend::app
