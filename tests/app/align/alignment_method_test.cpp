#include "app/align/alignment_method.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "core/named_enum.h"

namespace attend::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(AlignmentMethod, RejectsAnUnknownNameAndSuggestsTheNearest) {
  EXPECT_THAT(alignment_method_names(),
              ElementsAre("attention", "posterior", "saliency", "contributions", "alti"));
  EXPECT_THAT([] { (void)alignment_method("salience"); },
              ThrowsMessage<UsageError>(HasSubstr(
                  "did you mean \"saliency\"?; choices: attention, posterior, saliency")));
}

/// An untrained model with this wiring.
LoadedModel model_of(model::WiringKind wiring) {
  LoadedModel loaded;
  model::ModelOptions& options = loaded.experiment.model;
  model::RecurrentEncoderOptions encoder;
  model::RecurrentDecoderOptions decoder;
  options.embedding = encoder.hidden = decoder.hidden = 2;
  decoder.wiring = wiring;
  options.encoder = encoder;
  options.decoder = decoder;
  loaded.model = std::make_unique<model::Seq2Seq>(options, 5, 5);
  return loaded;
}

TEST(AlignmentMethod, HasAShiftForEveryWiring) {
  for (const auto wiring : enum_values<model::WiringKind>()) {
    const LoadedModel model = model_of(wiring);
    EXPECT_LE(default_shift(alignment_method("attention"), model), 1U) << enum_name(wiring);
    EXPECT_EQ(default_shift(alignment_method("posterior"), model), 0U) << enum_name(wiring);
    EXPECT_EQ(default_shift(alignment_method("saliency"), model), 0U) << enum_name(wiring);
  }
}

TEST(AlignmentMethod, ReadsTheGuidedStep) {
  LoadedModel model = model_of(model::WiringKind::luong);
  train::GuidedAlignmentOptions& guided = model.experiment.training.guided_alignment;
  guided.links = {"train.links"};
  for (const int64_t shift : {0, 1}) {
    guided.shift = shift;
    EXPECT_EQ(default_shift(alignment_method("attention"), model), static_cast<std::size_t>(shift));
  }
}

TEST(AlignmentMethod, NamesWhatDoesNotFit) {
  const LoadedModel model = model_of(model::WiringKind::luong);
  EXPECT_NO_THROW(require_fit(alignment_method("posterior"), model, "--method"));
  EXPECT_THAT([&] { require_fit(alignment_method("contributions"), model, "--method"); },
              ThrowsMessage<UsageError>(
                  AllOf(HasSubstr("--method contributions needs a decoder of type transformer"),
                        HasSubstr("has type recurrent"))));
  EXPECT_THAT([&] { require_fit(alignment_method("alti"), model, "--method"); },
              ThrowsMessage<UsageError>(
                  AllOf(HasSubstr("--method alti needs an encoder and a decoder"),
                        HasSubstr("has another model.encoder.type, model.decoder.type;"))));
}

TEST(AlignmentMethod, ReadsTheGuidedHead) {
  LoadedModel model = model_of(model::WiringKind::luong);
  train::GuidedAlignmentOptions& guided = model.experiment.training.guided_alignment;
  guided.head = 3;
  EXPECT_FALSE(default_map(alignment_method("attention"), model).has_value());
  guided.links = {"train.links"};
  EXPECT_EQ(default_map(alignment_method("attention"), model)->head, 3U);
  EXPECT_EQ(default_map(alignment_method("attention"), model)->layer, 0U);
  EXPECT_FALSE(default_map(alignment_method("posterior"), model).has_value());
  EXPECT_FALSE(default_map(alignment_method("alti"), model).has_value()) << "it has no heads";
}

}  // namespace
}  // namespace attend::app
