#include "data/chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "core/error.h"
#include "data/token_block.h"
#include "tests/support/temp_dir.h"

namespace attend::data {
namespace {

using Ids = std::vector<text::TokenId>;

TEST(FileChunks, LeaveNoNameInTheFolder) {
  const attend::test::TempDir folder;
  const auto chunks = chunks_in_file(folder.path());
  std::memset(chunks->add(), 1, Chunks::kBytes);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FileChunks, KeepTheirContentWhenPagesAreReleased) {
  const attend::test::TempDir folder;
  const auto chunks = chunks_in_file(folder.path());
  TokenBlock block(100'000, chunks);
  Ids ids(1'000'000);
  std::iota(ids.begin(), ids.end(), 0);
  for (auto& id : ids) id %= 100'000;
  block.append(ids);
  for (int i = 0; i < 40'000; ++i) chunks->note_read();  // enough for two releases of pages
  EXPECT_EQ(block.read(0, ids.size()), ids);
}

TEST(FileChunks, NameTheFolderThatCannotHoldThem) {
  EXPECT_THAT([] { (void)chunks_in_file("/proc"); },
              testing::ThrowsMessage<DataError>(
                  testing::AllOf(testing::HasSubstr("/proc"), testing::HasSubstr("data.storage"))));
}

}  // namespace
}  // namespace attend::data
