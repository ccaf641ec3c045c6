#include "server/search/served_model.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/error.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/tested_device.h"

namespace attend::server {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// A pipe without a writer: opening it waits for ever.
TEST(ServedModels, RefusesAPipeInAModelFolder) {
  const attend::test::TempDir dir;
  const auto model = cli::test::train_tiny_model(dir, "model", {});
  for (const char* name : {"config.yaml", "best.safetensors", "source.model"}) {
    std::filesystem::remove(model / name);
    ASSERT_EQ(::mkfifo((model / name).c_str(), 0600), 0) << name;
    EXPECT_THAT(
        [&] {
          ServedModels(std::vector{model.string()}, std::nullopt, attend::test::tested_device());
        },
        ThrowsMessage<ModelFileError>(HasSubstr(std::string(name) + ": not a file but a pipe")));
    std::filesystem::remove(model / name);
  }
}

}  // namespace
}  // namespace attend::server
