#include "server/http/url.h"

#include <gmock/gmock.h>

#include "server/http/api_error.h"

namespace attend::server {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(ParseTarget, DecodesPathAndQuery) {
  const Target target = parse_target("/a%20b/c+d?x=1%262&y=%C3%A4+o&z");
  EXPECT_EQ(target.path, "/a b/c+d");
  EXPECT_THAT(target.query, ElementsAre(Pair("x", "1&2"), Pair("y", "ä o"), Pair("z", "")));
}

TEST(ParseTarget, RejectsIncompletePercentEncoding) {
  for (const char* target : {"/%", "/%4", "/%4g", "/a?b=%", "", "a"})
    EXPECT_THROW((void)parse_target(target), ApiError) << target;
}

}  // namespace
}  // namespace attend::server
