#include "align/symmetrize.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/random.h"

namespace attend::align {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

std::string joined(const Links& forward, const Links& reverse, const char* how) {
  return format_pharaoh(symmetrize(forward, reverse, parse_symmetrization(how)));
}

TEST(Symmetrize, IntersectsAndUnites) {
  const Links forward{{0, 0}, {1, 1}, {1, 2}};
  const Links reverse{{0, 0}, {1, 2}, {3, 4}};
  EXPECT_EQ(joined(forward, reverse, "intersect"), "0-0 1-2");
  EXPECT_EQ(joined(forward, reverse, "union"), "0-0 1-1 1-2 3-4");
}

// 0-0, the only common link, adds its diagonal neighbour 1-1, which adds 1-2 (target 2 is
// unlinked). 4-4 has no neighbour.
TEST(Symmetrize, GrowsAlongNeighboursOfAddedLinks) {
  const Links forward{{0, 0}, {1, 1}, {1, 2}};
  const Links reverse{{0, 0}, {4, 4}};
  EXPECT_EQ(joined(forward, reverse, "grow-diag"), "0-0 1-1 1-2");
}

TEST(Symmetrize, DoesNotGrowBetweenWordsThatBothHaveLinks) {
  const Links forward{{0, 0}, {1, 1}, {0, 1}};
  const Links reverse{{0, 0}, {1, 1}, {1, 0}};
  EXPECT_EQ(joined(forward, reverse, "grow-diag"), "0-0 1-1");
}

TEST(Symmetrize, GrowsNothingWithoutACommonLink) {
  const Links forward{{0, 0}};
  const Links reverse{{0, 1}, {1, 1}};
  EXPECT_EQ(joined(forward, reverse, "intersect"), "");
  EXPECT_EQ(joined(forward, reverse, "grow-diag"), "");
}

// Around 1-1 the candidates 1-0 and 0-1 come before the diagonal 0-0, which then has both words
// covered. In the order of positions 0-0 would come first and exclude the other two.
TEST(Symmetrize, TriesDiagonalNeighboursLast) {
  const Links forward{{1, 1}, {0, 0}};
  const Links reverse{{1, 1}, {0, 1}, {1, 0}};
  EXPECT_EQ(joined(forward, reverse, "grow-diag"), "0-1 1-0 1-1");
}

// 2-1 neighbours 2-0, and 0-1 neighbours 0-2; either would be the only link of target word 1. 2-0
// is visited first because its target position is smaller, although 0-2 has the smaller source
// position.
TEST(Symmetrize, VisitsLinksByTargetPosition) {
  const Links forward{{2, 0}, {0, 2}, {2, 1}};
  const Links reverse{{2, 0}, {0, 2}, {0, 1}};
  EXPECT_EQ(joined(forward, reverse, "grow-diag"), "0-2 2-0 2-1");
}

// 0-0 adds 1-1, which is visited before 3-3 in the same round. Its neighbour 1-2 takes target word
// 2 before 3-3 can add 3-2.
TEST(Symmetrize, VisitsAddedLinksInTheSameRound) {
  const Links forward{{0, 0}, {1, 1}, {1, 2}, {3, 3}};
  const Links reverse{{0, 0}, {3, 2}, {3, 3}};
  EXPECT_EQ(joined(forward, reverse, "grow-diag"), "0-0 1-1 1-2 3-3");
}

// Each round adds one link from 3-3 down to 0-0, because smaller positions were already visited.
TEST(Symmetrize, GrowsUntilNothingIsAdded) {
  const Links forward{{3, 3}, {2, 2}, {1, 1}, {0, 0}};
  const Links reverse{{3, 3}};
  EXPECT_EQ(joined(forward, reverse, "grow-diag"), "0-0 1-1 2-2 3-3");
}

// 3-2 is a forward link between unlinked words. After it, 3-5 and 5-2 have one unlinked word each.
TEST(Symmetrize, FinalTakesForwardLinksFirst) {
  const Links forward{{0, 0}, {3, 2}};
  const Links reverse{{0, 0}, {3, 5}, {5, 2}};
  EXPECT_EQ(joined(forward, reverse, "grow-diag"), "0-0");
  EXPECT_EQ(joined(forward, reverse, "grow-diag-final"), "0-0 3-2 3-5 5-2");
  EXPECT_EQ(joined(forward, reverse, "grow-diag-final-and"), "0-0 3-2");
  // With the directions swapped, 5-2 and 3-5 come first, and 3-2 has no unlinked word left.
  EXPECT_EQ(joined(reverse, forward, "grow-diag-final"), "0-0 3-5 5-2");
  EXPECT_EQ(joined(reverse, forward, "grow-diag-final-and"), "0-0 3-5 5-2");
}

TEST(Symmetrize, OfEqualLinksIsThoseLinks) {
  const Links links{{0, 0}, {1, 3}, {2, 3}, {5, 1}};
  for (const std::string& name : symmetrization_names()) {
    EXPECT_EQ(symmetrize(links, links, parse_symmetrization(name)), links) << name;
  }
}

TEST(Symmetrize, OfNothingIsNothing) {
  for (const std::string& name : symmetrization_names()) {
    EXPECT_THAT(symmetrize({}, {}, parse_symmetrization(name)), IsEmpty()) << name;
  }
}

/// The pseudo-code of Koehn et al. 2005 as printed in the Moses manual, on tables of words: e is a
/// target position, f a source position.
class PublishedGrowDiag {
 public:
  static constexpr int64_t kWords = 7;

  PublishedGrowDiag(Links e2f, Links f2e) : e2f_(std::move(e2f)), f2e_(std::move(f2e)) {
    for (const Link& link : e2f_) {
      if (f2e_.contains(link)) alignment_.insert(link);
    }
  }

  void grow_diag() {
    const std::vector<Link> neighboring{{0, -1},  {-1, 0}, {0, 1},  {1, 0},
                                        {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    for (bool added = true; added;) {
      added = false;
      for (int64_t e = 0; e < kWords; ++e) {
        for (int64_t f = 0; f < kWords; ++f) {
          if (!alignment_.contains({f, e})) continue;
          for (const Link& step : neighboring) {
            const Link next{f + step.source, e + step.target};
            const bool in_union = e2f_.contains(next) || f2e_.contains(next);
            if (in_union && (!e_aligned(next.target) || !f_aligned(next.source))) {
              added = alignment_.insert(next).second || added;
            }
          }
        }
      }
    }
  }

  void final(const Links& directed, bool both) {
    for (int64_t e = 0; e < kWords; ++e) {
      for (int64_t f = 0; f < kWords; ++f) {
        const bool open = both ? !e_aligned(e) && !f_aligned(f) : !e_aligned(e) || !f_aligned(f);
        if (open && directed.contains({f, e})) alignment_.insert({f, e});
      }
    }
  }

  [[nodiscard]] Links grown() {
    grow_diag();
    return alignment_;
  }
  [[nodiscard]] Links finished(bool both) {
    grow_diag();
    final(e2f_, both);
    final(f2e_, both);
    return alignment_;
  }

 private:
  [[nodiscard]] bool e_aligned(int64_t e) const {
    return std::ranges::any_of(alignment_, [&](const Link& link) { return link.target == e; });
  }
  [[nodiscard]] bool f_aligned(int64_t f) const {
    return std::ranges::any_of(alignment_, [&](const Link& link) { return link.source == f; });
  }

  Links e2f_;
  Links f2e_;
  Links alignment_;
};

// Includes half of the other direction's links, so that there are common links to grow from.
Links random_links(Random& random, const Links& other) {
  Links links;
  for (const Link& link : other) {
    if (random.below(2) == 0) links.insert(link);
  }
  for (int64_t i = 0; i < PublishedGrowDiag::kWords; ++i) {
    links.insert({static_cast<int64_t>(random.below(PublishedGrowDiag::kWords)), i});
  }
  return links;
}

TEST(Symmetrize, FollowsThePublishedPseudoCode) {
  Random random = stream(1, "symmetrize_test");
  for (int round = 0; round < 300; ++round) {
    const Links forward = random_links(random, {});
    const Links reverse = random_links(random, forward);
    const PublishedGrowDiag published(forward, reverse);
    EXPECT_EQ(symmetrize(forward, reverse, Symmetrization::kGrowDiag),
              PublishedGrowDiag(published).grown());
    EXPECT_EQ(symmetrize(forward, reverse, Symmetrization::kGrowDiagFinal),
              PublishedGrowDiag(published).finished(false));
    EXPECT_EQ(symmetrize(forward, reverse, Symmetrization::kGrowDiagFinalAnd),
              PublishedGrowDiag(published).finished(true));
  }
}

TEST(Symmetrization, RejectsAnUnknownNameWithTheNearest) {
  EXPECT_THAT(symmetrization_names(), ElementsAre("intersect", "union", "grow-diag",
                                                  "grow-diag-final", "grow-diag-final-and"));
  EXPECT_THAT([] { (void)parse_symmetrization("grow-diag-finl"); },
              ThrowsMessage<UsageError>(HasSubstr("did you mean \"grow-diag-final\"?; choices: ")));
}

}  // namespace
}  // namespace attend::align
