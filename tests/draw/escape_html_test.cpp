#include "draw/escape_html.h"

#include <gtest/gtest.h>

namespace attend::draw {
namespace {

TEST(EscapeHtml, LeavesNoMarkup) {
  EXPECT_EQ(escape_html("<a b=\"c\"> & d"), "&lt;a b=&quot;c&quot;&gt; &amp; d");
  EXPECT_EQ(escape_html("runs/\xFF<"), "runs/\xEF\xBF\xBD&lt;");
}

}  // namespace
}  // namespace attend::draw
