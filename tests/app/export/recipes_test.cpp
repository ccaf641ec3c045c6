// Each shipped recipe is exported, or refused with the keys that src/app/export/README.md lists.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/export/ctranslate2_model.h"
#include "app/export/torch_model.h"
#include "config/load.h"

namespace attend::app {
namespace {

namespace fs = std::filesystem;

std::string keys_of(const std::vector<Obstacle>& obstacles) {
  std::string keys;
  for (const Obstacle& obstacle : obstacles)
    keys += (keys.empty() ? "`" : ", `") + obstacle.key + "`";
  return keys.empty() ? "yes" : keys;
}

TEST(ExportRecipes, AreThoseOfTheGuide) {
  std::ifstream file(fs::path(ATTEND_SOURCE_DIR) / "src/app/export/README.md");
  std::ostringstream guide;
  guide << file.rdbuf();
  std::size_t recipes = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(ATTEND_SOURCE_DIR) / "configs")) {
    if (entry.path().extension() != ".yaml") continue;
    const auto experiment =
        config::load<Experiment>(entry.path(), {}, config::Purpose::show).options;
    const std::string row = "| `" + entry.path().stem().string() + "` | " +
                            keys_of(ctranslate2_obstacles(experiment)) + " | " +
                            keys_of(torch_obstacles(experiment)) + " |";
    EXPECT_NE(guide.str().find(row), std::string::npos) << "the guide lacks " << row;
    ++recipes;
  }
  EXPECT_EQ(recipes, 21U);
}

}  // namespace
}  // namespace attend::app
