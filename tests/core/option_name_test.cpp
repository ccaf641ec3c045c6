#include "core/option_name.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(OptionName, UsesTheSpellingOfTheFrontEnd) {
  EXPECT_EQ(option_name("max-length-ratio"), "max-length-ratio");
  spell_options([](std::string_view name) { return "--" + std::string(name); });
  EXPECT_EQ(option_name("max-length-ratio"), "--max-length-ratio");
  spell_options([](std::string_view name) { return std::string(name); });
}

}  // namespace
}  // namespace attend
