// data.storage decides where token ids are stored and must change nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using attend::test::TempDir;

std::string weights(const TempDir& dir, const std::string& name,
                    const std::vector<std::string>& overrides) {
  return read_text(test::train_tiny_model(dir, name, overrides) / "last.safetensors");
}

TEST(Storage, MemoryAndMappedFilesTrainTheSame) {
  const TempDir dir;
  const std::vector<std::string> common = {"training.max_updates=12"};
  const std::string in_memory = weights(dir, "memory", common);
  EXPECT_EQ(weights(dir, "mmap", {common[0], "data.storage=mmap"}), in_memory);
  EXPECT_NE(weights(dir, "other", {common[0], "seed=4"}), in_memory);
}

TEST(Storage, MemoryAndMappedFilesTrainTheSameOnSampledSubwords) {
  const TempDir dir;
  const std::vector<std::string> common = {"training.max_updates=12", "tokenizer.type=bpe",
                                           "tokenizer.sampling=0.5", "tokenizer.vocabulary=12"};
  auto mapped = common;
  mapped.emplace_back("data.storage=mmap");
  EXPECT_EQ(weights(dir, "mmap", mapped), weights(dir, "memory", common));
}

TEST(Storage, MappedFilesAreRemovedWhenTheRunEnds) {
  const TempDir dir;
  (void)weights(dir, "mmap", {"data.storage=mmap"});
  for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
}

}  // namespace
}  // namespace attend::cli
