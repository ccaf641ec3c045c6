#include "text/charsmap.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/error.h"
#include "tests/support/temp_dir.h"
#include "tests/text/toy_model.h"
#include "text/model_check.h"
#include "text/sentencepiece/library.h"
#include "text/tokenizer.h"

namespace attend::text {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr uint32_t kRoot = 256;          // the state before the first byte
constexpr uint32_t kNoLabel = 1U << 31;  // of units that no byte leads to

/// A double array of darts-clone: blocks of 256 units, of which block 0 holds the root.
class Trie {
 public:
  explicit Trie(uint32_t blocks) : units_(std::size_t{blocks} * 256, kNoLabel) {
    units_[0] = 0;
    point(0, kRoot);
  }

  /// Makes `byte` lead from `state` to the state `to`.
  Trie& link(uint32_t state, unsigned char byte, uint32_t to) {
    const uint32_t at = state ^ byte;
    units_.at(at) = byte;
    point(at, at ^ to);
    return *this;
  }
  /// Like link(), and ends a key with the replacement at `value`.
  Trie& end(uint32_t state, unsigned char byte, uint32_t to, uint32_t value) {
    link(state, byte, to);
    units_.at(state ^ byte) |= 1U << 8;
    units_.at(to) = value | kNoLabel;
    return *this;
  }

  [[nodiscard]] std::string rules(const std::string& replacements) const {
    std::string bytes(4 + units_.size() * 4, '\0');
    const auto size = static_cast<uint32_t>(units_.size() * 4);
    std::memcpy(bytes.data(), &size, 4);
    std::memcpy(bytes.data() + 4, units_.data(), size);
    return bytes + replacements;
  }

 private:
  void point(std::size_t at, uint32_t offset) {
    units_[at] |= offset < (1U << 21) ? offset << 10 : (offset >> 8 << 10 | 1U << 9);
  }

  std::vector<uint32_t> units_;
};

const std::string kOne("x\0", 2);

/// The reason for refusing the rules; empty if they are accepted.
std::string fault(const std::string& rules) {
  try {
    check_charsmap(rules);
    return "";
  } catch (const ModelFault& found) {
    return found.what;
  }
}

std::string varint(std::size_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}

/// A field of a protocol buffer that has a length.
std::string field(int number, const std::string& bytes) {
  return varint(static_cast<std::size_t>(number) * 8 + 2) + varint(bytes.size()) + bytes;
}

/// A trained model with other rules: protobuf uses the last of several.
std::string with_rules(const std::string& model, int normalizer, const std::string& rules) {
  return model + field(normalizer, field(2, rules));
}

constexpr int kNormalizer = 3;
constexpr int kDenormalizer = 5;

std::string toy_bytes() {
  const test::TempDir folder;
  return test::read_text(test::toy_model(folder));
}

TEST(Charsmap, OfEveryNormalisationThatWeTrainWithIsSound) {
  for (const std::string name : {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"}) {
    const auto trained = sentencepiece().train({{"model_type", "char"},
                                                {"vocab_size", "60"},
                                                {"hard_vocab_limit", "false"},
                                                {"normalization_rule_name", name},
                                                {"minloglevel", "3"}},
                                               test::toy_text());
    ASSERT_NE(trained.bytes, "");
    EXPECT_NO_THROW(check_model(trained.bytes)) << name;
  }
}

TEST(Charsmap, MaySpreadAKeyOverSeveralStates) {
  const Trie trie = Trie(4).end(kRoot, 'a', 512, 0).link(kRoot, 0xC3, 600).end(600, 0xA4, 768, 0);
  EXPECT_EQ(fault(trie.rules(kOne)), "");
  const test::TempDir folder;
  const auto path = folder.write("x.model", with_rules(toy_bytes(), kNormalizer, trie.rules(kOne)));
  EXPECT_EQ(Tokenizer(path, false).encode_pieces("ä").back().text, "x");
}

// Regression: SIGSEGV in translate. A search reads any of the 256 units around a state.
TEST(Charsmap, ThatPointsOutsideItselfIsRefused) {
  const std::string one_unit("\4\0\0\0\0\xFE\xFF\xFF", 8);  // the root is 4 GB away
  EXPECT_EQ(fault(one_unit + kOne), "the trie points outside itself");
  EXPECT_EQ(fault(Trie(2).link(kRoot, 'a', 0x1FFFFF00).rules(kOne)),
            "the trie points outside itself");
  const Trie sound = Trie(4).link(kRoot, 'a', 768);
  EXPECT_EQ(fault(sound.rules(kOne)), "");
  std::string cut = sound.rules("");
  const uint32_t size = 1023 * 4;
  std::memcpy(cut.data(), &size, 4);
  EXPECT_EQ(fault(cut), "the trie points outside itself");
}

// Regression: the server returned bytes of its own memory.
TEST(Charsmap, WhoseReplacementsLieOutsideIsRefused) {
  EXPECT_EQ(fault(Trie(4).end(kRoot, 'a', 700, 1).rules(kOne)), "");
  EXPECT_EQ(fault(Trie(4).end(kRoot, 'a', 700, 2).rules(kOne)),
            "a replacement lies outside the file");
  EXPECT_THAT(fault(Trie(4).end(kRoot, 'a', 700, 0).rules("x")), HasSubstr("does not end"));
  EXPECT_THAT(fault(Trie(4).end(kRoot, 'a', 700, 0).rules(std::string(1025, 'x') + kOne)),
              HasSubstr("does not end within 1024 bytes"));
}

TEST(Charsmap, WithALoopIsRefused) {
  EXPECT_EQ(fault(Trie(4).link(kRoot, 'a', 512).link(512, 'a', kRoot).rules(kOne)),
            "the trie has a loop");
}

/// Rules whose keys are "a", "aa", "aaa" and so on.
std::string nested(uint32_t keys) {
  Trie trie(keys + 3);
  for (uint32_t i = 0; i < keys; ++i) trie.end(kRoot + 256 * i, 'a', kRoot + 256 * (i + 1), 0);
  return trie.rules(kOne);
}

// The results of a search go to an array of 32.
TEST(Charsmap, WithMoreMatchesThanTheSearchHasRoomForIsRefused) {
  EXPECT_EQ(fault(nested(32)), "");
  EXPECT_EQ(fault(nested(33)), "too many keys are prefixes of one text");
}

TEST(Charsmap, CountsMatchesThroughSharedStates) {
  constexpr uint32_t kShared = kRoot + 256;
  Trie trie(40);
  trie.link(kRoot, 'b', kShared);
  for (uint32_t i = 0; i < 32; ++i) trie.end(kShared + 256 * i, 'a', kShared + 256 * (i + 1), 0);
  EXPECT_EQ(fault(trie.rules(kOne)), "");
  trie.end(kRoot, 'c', kShared, 0);
  EXPECT_EQ(fault(trie.rules(kOne)), "too many keys are prefixes of one text");
}

TEST(Charsmap, WithKeysOrReplacementsThatAreNotTextIsRefused) {
  EXPECT_EQ(fault(Trie(4).end(kRoot, 0xC3, 700, 0).rules(kOne)), "a key is not well-formed UTF-8");
  EXPECT_EQ(fault(Trie(4).end(kRoot, 0x80, 700, 0).rules(kOne)), "a key is not well-formed UTF-8");
  EXPECT_EQ(fault(Trie(4).link(kRoot, 0xC3, 600).end(600, 'a', 768, 0).rules(kOne)),
            "a key is not well-formed UTF-8");
  EXPECT_EQ(fault(Trie(4).end(kRoot, 'a', 700, 1).rules("ä" + kOne)),
            "a replacement is not well-formed UTF-8");
}

TEST(Charsmap, CutShortIsRefused) {
  const std::string rules = Trie(4).rules(kOne);
  for (const std::size_t size : {1, 4, 5, 100, 4 * 1024 + 4})
    EXPECT_EQ(fault(rules.substr(0, size)), "the rules are cut short") << size;
}

TEST(Charsmap, IsCheckedInBothNormalisersBeforeUse) {
  const test::TempDir folder;
  const std::string outside = Trie(4).end(kRoot, 'a', 700, 1 << 20).rules(kOne);
  for (const int normalizer : {kNormalizer, kDenormalizer}) {
    const auto path = folder.write("x.model", with_rules(toy_bytes(), normalizer, outside));
    EXPECT_THAT([&] { Tokenizer(path, false); },
                ThrowsMessage<ModelFileError>(HasSubstr("a replacement lies outside the file")));
  }
}

/// A model with user-defined pieces "q", "qq", "qqq" and so on.
std::string with_nested_pieces(const std::string& model, std::size_t count) {
  constexpr auto kUserDefined = "\x18\x04";
  std::string pieces;
  for (std::size_t i = 1; i <= count; ++i)
    pieces += field(1, field(1, std::string(i, 'q')) + kUserDefined);
  return model + pieces;
}

// The matches of user-defined pieces go to an array of 64.
TEST(ModelCheck, RefusesMoreUserDefinedPiecesInOneAnotherThanASearchHasRoomFor) {
  EXPECT_NO_THROW(check_model(with_nested_pieces(toy_bytes(), 64)));
  EXPECT_THROW(check_model(with_nested_pieces(toy_bytes(), 65)), ModelFault);
}

}  // namespace
}  // namespace attend::text
