#include "server/url.h"

#include <gmock/gmock.h>

#include "server/api_error.h"

namespace attend::server {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(ParseTarget, DecodesPathAndQuery) {
  const Target target = parse_target("/a%20b/c+d?x=1%262&y=%C3%A4+o&z");
  EXPECT_EQ(target.path, "/a b/c+d");
  EXPECT_THAT(target.query, ElementsAre(Pair("x", "1&2"), Pair("y", "ä o"), Pair("z", "")));
}

// A server must take the absolute form, too (RFC 9112, 3.2.2).
TEST(ParseTarget, LeavesOutTheNameOfTheServer) {
  EXPECT_EQ(parse_target("http://localhost:80/a?b=c").path, "/a");
  EXPECT_EQ(parse_target("http://localhost").path, "/");
  EXPECT_EQ(parse_target("/a?b=http://c/d").path, "/a");
}

TEST(ParseTarget, RefusesCutPercentSigns) {
  for (const char* target : {"/%", "/%4", "/%4g", "/a?b=%", "", "a"})
    EXPECT_THROW((void)parse_target(target), ApiError) << target;
}

}  // namespace
}  // namespace attend::server
