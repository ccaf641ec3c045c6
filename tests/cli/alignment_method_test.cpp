#include "cli/alignment_method.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "model/wiring_registry.h"

namespace attend::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(AlignmentMethod, RejectsAnUnknownNameWithTheNearest) {
  EXPECT_THAT(alignment_method_names(), ElementsAre("attention", "saliency"));
  EXPECT_THAT([] { (void)alignment_method("salience"); },
              ThrowsMessage<UsageError>(
                  HasSubstr("did you mean \"saliency\"?; choices: attention, saliency")));
}

TEST(AlignmentMethod, HasAShiftForEveryWiring) {
  for (const std::string& wiring : model::wiring_names()) {
    EXPECT_LE(default_shift(alignment_method("attention"), wiring), 1U) << wiring;
    EXPECT_EQ(default_shift(alignment_method("saliency"), wiring), 0U) << wiring;
  }
}

}  // namespace
}  // namespace attend::cli
