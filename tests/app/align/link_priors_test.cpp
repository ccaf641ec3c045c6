#include "app/align/link_priors.h"

#include <gmock/gmock.h>

#include "app/align/word_link_output.h"
#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using attend::test::TempDir;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

auto is(const char* source, const char* target, int32_t count) {
  return AllOf(Field(&WordLinkCount::source, source), Field(&WordLinkCount::target, target),
               Field(&WordLinkCount::count, count));
}

TEST(LinkPriors, AreReadAsTheyWereWritten) {
  const TempDir dir;
  LinkPriors priors;
  const align::AttentionMatrix words = word_matrix({"A dog Dog", "Hund ein HUND"});
  priors.add(words, {{0, 1}, {1, 0}, {1, 2}, {2, 1}});
  priors.add(words, {{2, 0}});
  OutputFile file(dir / "priors");
  priors.write(file);
  EXPECT_EQ(attend::test::read_text(dir / "priors"), "a\tein\t1\ndog\thund\t3\ndog\tein\t1\n");
  EXPECT_THAT(read_link_priors(dir / "priors"),
              ElementsAre(is("a", "ein", 1), is("dog", "hund", 3), is("dog", "ein", 1)));
}

TEST(LinkPriors, NameTheLineThatIsWrong) {
  const TempDir dir;
  for (const char* line : {"a b 3", "a\tb", "a\tb\t", "a\tb\t0", "a\tb\t-1", "a\tb\t1.5", "\tb\t1",
                           "a\t\t1", "a b\tc\t1", "a\tb\t1\t2", "a\tb\t99999999999"}) {
    const auto file = dir.write("bad", std::string("a\tb\t1\n\n") + line + "\n");
    EXPECT_THAT([&] { (void)read_link_priors(file); },
                ThrowsMessage<DataError>(AllOf(HasSubstr("bad:3: "), HasSubstr("expected SOURCE"))))
        << line;
  }
}

// Counts are added up in 32 bits.
TEST(LinkPriors, RefuseMoreLinksThanCanBeCounted) {
  const TempDir dir;
  const auto file = dir.write("large", "a\tb\t2000000000\na\tc\t2000000000\n");
  EXPECT_THAT([&] { (void)read_link_priors(file); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("large:2: "), HasSubstr("2147483647"))));
}

}  // namespace
}  // namespace attend::app
