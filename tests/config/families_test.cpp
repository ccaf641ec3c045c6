#include "config/families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "config/load.h"
#include "config/print.h"
#include "tests/config/sample.h"

namespace attend::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct Recurrent {
  static constexpr std::string_view kType = "recurrent";

  int64_t layers = 1;
  int64_t hidden = 4;
};

struct Window {
  int64_t before = 10;
  int64_t after = 10;
};

struct Transformer {
  static constexpr std::string_view kType = "transformer";

  int64_t layers = 1;
  int64_t heads = 8;
  Window window;
};

struct Memory {
  static constexpr std::string_view kType = "memory";

  int64_t heads = 8;
  int64_t slots = 5;
};

struct Model {
  bool tied = false;
  std::variant<Recurrent, Transformer, Memory> encoder;
};

struct Options {
  Model model;
};

void describe(Schema<Recurrent>& schema) {
  schema.integer("layers", &Recurrent::layers, in_range(1, 16), "Stacked layers.");
  schema.integer("hidden", &Recurrent::hidden, at_least(1), "State size.");
}

void describe(Schema<Window>& schema) {
  schema.integer("before", &Window::before, at_least(0), "Words to the left.");
  schema.integer("after", &Window::after, at_least(0), "Words to the right.");
}

void describe(Schema<Transformer>& schema) {
  schema.integer("layers", &Transformer::layers, in_range(1, 16), "Stacked layers.");
  schema.integer("heads", &Transformer::heads, at_least(1), "Parallel readings.");
  schema.section("window", &Transformer::window, "The words that are seen.");
  schema.rule({"layers", "heads"}, [](const Transformer& options) -> std::string {
    return options.heads < options.layers ? "a layer has no head" : "";
  });
}

void describe(Schema<Memory>& schema) {
  schema.integer("heads", &Memory::heads, at_least(1), "Parallel readings.");
  schema.integer("slots", &Memory::slots, at_least(1), "Facts.");
}

void describe(Schema<Model>& schema) {
  schema.flag("tied", &Model::tied, "Whether matrices are shared.");
  schema.families("encoder", &Model::encoder, "Reads the source.", "Kind of encoder.");
}

void describe(Schema<Options>& schema) {
  schema.section("model", &Options::model, "The network.");
}

class FamiliesTest : public testing::Test {
 protected:
  [[nodiscard]] Options load_text(std::string_view yaml, std::vector<std::string> overrides = {},
                                  Purpose purpose = Purpose::train) const {
    return load<Options>(dir_.write("config.yaml", yaml), overrides, purpose).options;
  }

  template <class Family>
  [[nodiscard]] Family encoder(std::string_view yaml,
                               std::vector<std::string> overrides = {}) const {
    return std::get<Family>(load_text(yaml, std::move(overrides)).model.encoder);
  }

  /// The message of the refusal; empty if there is none.
  [[nodiscard]] std::string error_of(std::string_view yaml, std::vector<std::string> overrides = {},
                                     Purpose purpose = Purpose::train) const {
    return sample::message_of(dir_, [&] { (void)load_text(yaml, std::move(overrides), purpose); });
  }

  test::TempDir dir_;
};

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST_F(FamiliesTest, TheFirstIsTheDefault) {
  for (const char* yaml : {"", "model: {}", "model: {encoder: {}}", "model: {encoder: null}"}) {
    EXPECT_EQ(encoder<Recurrent>(yaml).hidden, 4) << yaml;
  }
  EXPECT_EQ(encoder<Recurrent>("model: {encoder: {hidden: 6}}").hidden, 6);
}

TEST_F(FamiliesTest, TheTypeMayStandBeforeOrAfterItsKeys) {
  for (const char* keys : {"type: transformer, layers: 2, heads: 4, window: {after: 0}",
                           "layers: 2, heads: 4, window: {after: 0}, type: transformer"}) {
    const auto options = encoder<Transformer>(std::string("model: {encoder: {") + keys + "}}");
    EXPECT_EQ(options.layers, 2) << keys;
    EXPECT_EQ(options.heads, 4) << keys;
    EXPECT_EQ(options.window.before, 10) << keys;
    EXPECT_EQ(options.window.after, 0) << keys;
  }
}

TEST_F(FamiliesTest, OverridesMayComeInAnyOrder) {
  const std::string type = "model.encoder.type=memory", slots = "model.encoder.slots=3";
  EXPECT_EQ(encoder<Memory>("", {type, slots}).slots, 3);
  EXPECT_EQ(encoder<Memory>("", {slots, type}).slots, 3);
  EXPECT_EQ(encoder<Recurrent>("", {type, "model.encoder.type=recurrent"}).hidden, 4)
      << "the last type wins";
}

TEST_F(FamiliesTest, AnotherTypeKeepsTheKeysThatItShares) {
  const std::string change = "model.encoder.type=transformer";
  EXPECT_EQ(encoder<Transformer>("model: {encoder: {layers: 3}}", {change}).layers, 3);
  EXPECT_EQ(encoder<Memory>("model: {encoder: {type: transformer, heads: 2}}",
                            {"model.encoder.type=memory"})
                .heads,
            2);
  EXPECT_THAT(error_of("model: {encoder: {layers: 3, hidden: 6}}", {change}),
              HasSubstr("hidden is a setting of type recurrent and would have no effect with type "
                        "transformer; leave it out, or choose type: recurrent"));
}

TEST_F(FamiliesTest, AKeyOfAnotherFamilyIsRefused) {
  for (const Purpose purpose : {Purpose::train, Purpose::show}) {
    EXPECT_EQ(error_of("model:\n  encoder: {layers: 2, heads: 4}\n", {}, purpose),
              "config.yaml:2:24: error: model.encoder.heads, model.encoder.type: heads is a "
              "setting of type transformer or memory and would have no effect with type recurrent; "
              "leave it out, or choose type: transformer\n"
              "  encoder: {layers: 2, heads: 4}\n"
              "                       ^\n"
              "  model.encoder.heads: 4 (config.yaml:2)\n"
              "  model.encoder.type: recurrent (default)");
    EXPECT_THAT(error_of("model: {encoder: {type: memory}}", {"model.encoder.hidden=9"}, purpose),
                AllOf(StartsWith("--set model.encoder.hidden=9: error: model.encoder.hidden, "),
                      HasSubstr("choose type: recurrent"),
                      HasSubstr("model.encoder.type: memory (config.yaml:1)")));
  }
}

TEST_F(FamiliesTest, ASectionOfAnotherFamilyIsRefused) {
  EXPECT_THAT(error_of("model:\n  encoder:\n    window: {after: 0}\n"),
              AllOf(StartsWith("config.yaml:3:5: error: model.encoder.window, "),
                    HasSubstr("window is a setting of type transformer"),
                    HasSubstr("model.encoder.window: {before: 10, after: 0} (config.yaml:3)")));
  EXPECT_EQ(error_of("model: {encoder: {window: {after: 10}}}"), "") << "its default";
}

// Such keys occur in the configs of runs and on command lines that undo a setting of a file.
TEST_F(FamiliesTest, AKeyOfAnotherFamilyMayHaveItsDefault) {
  for (const Purpose purpose : {Purpose::train, Purpose::show}) {
    EXPECT_EQ(error_of("model: {encoder: {heads: 8, slots: 5}}", {}, purpose), "");
    EXPECT_EQ(error_of("model: {encoder: {hidden: 9}}",
                       {"model.encoder.type=memory", "model.encoder.hidden=4"}, purpose),
              "");
  }
}

TEST_F(FamiliesTest, RunsAndModelsMayHaveKeysOfAnotherFamily) {
  const std::string yaml = "model: {encoder: {layers: 2, heads: 4, window: {after: 0}}}";
  for (const Purpose purpose : {Purpose::resume, Purpose::use}) {
    const auto options = load_text(yaml, {}, purpose);
    EXPECT_EQ(std::get<Recurrent>(options.model.encoder).layers, 2);
  }
}

TEST_F(FamiliesTest, RulesAreThoseOfTheFamilyInUse) {
  EXPECT_THAT(error_of("model: {encoder: {type: transformer, layers: 2, heads: 1}}"),
              HasSubstr("model.encoder.layers, model.encoder.heads: a layer has no head"));
  EXPECT_EQ(error_of("model: {encoder: {layers: 9}}"), "");
}

TEST_F(FamiliesTest, AnUnknownKeyHasTheNearestNameOfAllFamilies) {
  EXPECT_EQ(error_of("model:\n  encoder: {head: 4}\n"),
            "config.yaml:2:13: error: model.encoder.head: unknown key; did you mean \"heads\"?\n"
            "  encoder: {head: 4}\n"
            "            ^\n"
            "  keys of model.encoder: type, layers, hidden, heads, window, slots");
  EXPECT_THAT(error_of("model: {encoder: {type: transformer, slot: 4}}"),
              HasSubstr("did you mean \"slots\"?"));
  EXPECT_THAT(error_of("model: {slots: 4}"), HasSubstr("did you mean model.encoder.slots?"));
  EXPECT_THAT(error_of("model: {encoder: {window: {aftr: 4}}}"),
              HasSubstr("model.encoder.window.aftr: unknown key; did you mean \"after\"?"));
}

TEST_F(FamiliesTest, AnUnknownTypeHasTheNearestName) {
  EXPECT_EQ(error_of("model:\n  encoder: {heads: 4, type: transfomer}\n"),
            "config.yaml:2:29: error: model.encoder.type: unknown value \"transfomer\"; did you "
            "mean \"transformer\"?\n"
            "  encoder: {heads: 4, type: transfomer}\n"
            "                            ^\n"
            "  choices: recurrent, transformer, memory");
}

TEST_F(FamiliesTest, NeedsASection) {
  EXPECT_THAT(error_of("model: {encoder: transformer}"),
              HasSubstr("model.encoder: expected a section of keys, found \"transformer\""));
  EXPECT_THAT(error_of("model: {encoder: {type: null}}"), HasSubstr("model.encoder.type: "));
}

TEST_F(FamiliesTest, NullTakesTheSectionBackToItsDefaults) {
  const std::string yaml = "model: {encoder: {type: transformer, layers: 2, heads: 4}}";
  for (const std::string null : {"model.encoder=null", "model=null"}) {
    const auto whole = encoder<Recurrent>(yaml, {null});
    EXPECT_EQ(whole.layers, 1) << null;
    const auto changed = encoder<Recurrent>(yaml, {null, "model.encoder.hidden=6"});
    EXPECT_EQ(changed.layers, 1) << null;
    EXPECT_EQ(changed.hidden, 6) << null;
    const auto again = encoder<Transformer>(yaml, {null, "model.encoder.type=transformer"});
    EXPECT_EQ(again.heads, 8) << null;
  }
}

TEST_F(FamiliesTest, AWrongValueIsReportedOnce) {
  for (const char* type : {"recurrent", "transformer", "memory"}) {
    const std::string error = error_of(
        "model: {encoder: {layers: 17, heads: x, slots: 0, type: " + std::string(type) + "}}");
    EXPECT_EQ(count(error, "error: "), 3U) << error;
    EXPECT_THAT(error, AllOf(HasSubstr("model.encoder.layers: 17 is out of range"),
                             HasSubstr("model.encoder.heads: \"x\" is not a whole number"),
                             HasSubstr("model.encoder.slots: 0 is out of range")));
  }
}

TEST_F(FamiliesTest, PrintsTheKeysOfTheFamilyInUse) {
  Options options;
  options.model.encoder = Transformer{2, 4, {3, 0}};
  const std::string yaml = to_yaml(options);
  EXPECT_EQ(yaml,
            "model:\n"
            "  tied: false\n"
            "  encoder:\n"
            "    type: transformer\n"
            "    layers: 2\n"
            "    heads: 4\n"
            "    window:\n"
            "      before: 3\n"
            "      after: 0\n");
  EXPECT_THAT(differences(load_text(yaml), options), IsEmpty());
  options.model.encoder = Memory{2, 3};
  EXPECT_THAT(to_yaml(options), Not(HasSubstr("layers")));
  EXPECT_THAT(differences(load_text(to_yaml(options)), options), IsEmpty());
}

TEST_F(FamiliesTest, TheReferenceListsTheKeysOfAllFamilies) {
  Options options;
  options.model.encoder = Memory{2, 5};
  const std::string text = reference(options);
  EXPECT_THAT(text, HasSubstr("    # Kind of encoder.\n"
                              "    # one of recurrent, transformer, memory; default: recurrent\n"
                              "    type: memory\n"
                              "    # Stacked layers.\n"
                              "    # whole number, 1 to 16; default: 1; type: recurrent, "
                              "transformer\n"
                              "    layers: 1\n"
                              "    # State size.\n"
                              "    # whole number, at least 1; default: 4; type: recurrent\n"
                              "    hidden: 4\n"
                              "    # Parallel readings.\n"
                              "    # whole number, at least 1; default: 8; type: transformer, "
                              "memory\n"
                              "    heads: 2\n"));
  EXPECT_THAT(text, HasSubstr("      # Words to the left.\n"
                              "      # whole number, at least 0; default: 10\n"
                              "      before: 10\n"));
  EXPECT_THAT(text, HasSubstr("default: 5; type: memory\n    slots: 5\n"));
  EXPECT_THAT(differences(load_text(text), options), IsEmpty());
  EXPECT_THAT(differences(load_text(reference<Options>()), Options()), IsEmpty());
}

TEST_F(FamiliesTest, TwoFamiliesDifferByTheirType) {
  Options a, b;
  b.model.encoder = Transformer{};
  EXPECT_THAT(differences(a, b), ElementsAre("model.encoder.type"));
  a.model.encoder = Transformer{2, 8, {}};
  EXPECT_THAT(differences(a, b), ElementsAre("model.encoder.layers"));
}

}  // namespace
}  // namespace attend::config
