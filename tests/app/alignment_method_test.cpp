#include "app/alignment_method.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "model/recurrent/wiring_registry.h"

namespace attend::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(AlignmentMethod, RejectsAnUnknownNameWithTheNearest) {
  EXPECT_THAT(alignment_method_names(), ElementsAre("attention", "posterior", "saliency"));
  EXPECT_THAT([] { (void)alignment_method("salience"); },
              ThrowsMessage<UsageError>(HasSubstr(
                  "did you mean \"saliency\"?; choices: attention, posterior, saliency")));
}

TEST(AlignmentMethod, HasAShiftForEveryWiring) {
  for (const std::string& wiring : model::wiring_names()) {
    Experiment experiment;
    experiment.model.decoder.wiring = wiring;
    EXPECT_LE(default_shift(alignment_method("attention"), experiment), 1U) << wiring;
    EXPECT_EQ(default_shift(alignment_method("posterior"), experiment), 0U) << wiring;
    EXPECT_EQ(default_shift(alignment_method("saliency"), experiment), 0U) << wiring;
  }
}

TEST(AlignmentMethod, ReadsTheStepThatWasGuided) {
  Experiment experiment;
  experiment.training.guided_alignment.links = {"train.links"};
  for (const int64_t shift : {0, 1}) {
    experiment.training.guided_alignment.shift = shift;
    EXPECT_EQ(default_shift(alignment_method("attention"), experiment),
              static_cast<std::size_t>(shift));
  }
}

}  // namespace
}  // namespace attend::app
