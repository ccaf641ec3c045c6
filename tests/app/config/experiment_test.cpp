#include "app/config/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "config/load.h"
#include "config/print.h"
#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using ::testing::IsEmpty;

// Every key whose name is part of the contract, with its default.
constexpr const char* kContract = R"(
seed: 1
data:
  train: {source: /t.en, target: /t.de}
  dev: {source: /d.en, target: /d.de}
  max_length: 100
  lowercase: false
tokenizer: {type: bpe, vocabulary: 8000, joint: true, model: null, sampling: 0.0}
model:
  embedding: 256
  tie: none
  encoder: {cell: lstm, layers: 1, hidden: 256, bidirectional: true, residual: false, layer_norm: false}
  decoder: {cell: lstm, layers: 1, hidden: 512, wiring: luong, input_feeding: true}
  attention: {score: additive, distribution: softmax, scope: global, heads: 1}
  dropout: {embedding: 0.0, layer: 0.0, recurrent: 0.0, attention: 0.0, output: 0.0}
training:
  optimizer: adam
  learning_rate: 0.001
  schedule: plateau
  batch: {size: 4000, unit: tokens}
  clip_norm: 1.0
  label_smoothing: 0.0
  precision: f32
  max_epochs: 30
  max_updates: 0
  max_minutes: 0
  validate_every: {updates: 0, epochs: 1}
  patience: 8
  init_from: null
decoding: {beam: 5, length_penalty: 1.0, batch_size: 64}
)";

TEST(Experiment, HasTheKeysAndDefaultsOfTheContract) {
  const attend::test::TempDir dir;
  const auto loaded = config::load<Experiment>(dir.write("c.yaml", kContract));
  Experiment expected;
  expected.data.train = {{"/t.en", "/t.de"}};
  expected.data.dev = {"/d.en", "/d.de"};
  EXPECT_THAT(config::differences(loaded, expected), IsEmpty());
}

TEST(Experiment, SeveralSourcesTakeAModelThatReadsThem) {
  const attend::test::TempDir dir;
  const std::string several = "data: {train: {source: {en: /a, es: /b}, target: /c}}\n";
  const auto refusal = [&](const std::string& yaml) {
    try {
      (void)config::load<Experiment>(dir.write("sources.yaml", yaml));
      return std::string();
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refusal(several), "");
  EXPECT_EQ(refusal(several + "model: {sources: {combination: flat}, attention: {heads: 2}}"), "");
  EXPECT_EQ(refusal(several + "model: {sources: {coattention: dynamic}}"), "");
  for (const auto& [section, expected] : std::vector<std::pair<std::string, std::string>>{
           {"model: {decoder: {type: transformer}}", "2 sources are given"},
           {"model: {decoder: {wiring: none}, encoder: {bidirectional: true}}",
            "2 sources are given"},
           {"model: {decoder: {wiring: answer}}", "2 sources are given"},
           {"model: {attention: {scope: local_m}}", "have no common positions"},
           {"model: {attention: {score: coverage}}", "have no common positions"},
           {"model: {attention: {heads: 2}}", "or choose sources.combination: flat"},
           {"model: {decoder: {bridge: copy, hidden: 512}}",
            "bridge: copy copies the states of one"},
           {"training: {guided_alignment: {links: /l}}", "links refer to one source"}}) {
    EXPECT_THAT(refusal(several + section), ::testing::HasSubstr(expected)) << section;
  }
  EXPECT_THAT(refusal("data: {train: {source: /a, target: /c}}\n"
                      "model: {sources: {combination: gate}}"),
              ::testing::AllOf(::testing::HasSubstr("sources.yaml:2:"),
                               ::testing::HasSubstr("data.train has one")));
  EXPECT_THAT(refusal("data: {train: {source: /a, target: /c}}\n"
                      "model: {sources: {coattention: parallel}}"),
              ::testing::HasSubstr("data.train has one"));
  EXPECT_THAT(refusal("data: {train: {source: {en: /a, es: /b, fr: /d}, target: /c}}\n"
                      "model: {sources: {coattention: parallel}}"),
              ::testing::AllOf(::testing::HasSubstr("sources.yaml:2:"),
                               ::testing::HasSubstr("between two sources, but data.train has 3")));
}

TEST(Experiment, RefusesToJoinPairsWhoseLinksAreWithinALine) {
  const attend::test::TempDir dir;
  const auto load = [&](const std::string& links) {
    (void)config::load<Experiment>(dir.write(
        "join.yaml",
        "data: {train: {source: /a, target: /b}, augment: {two_sentences: 0.1}}\n" + links));
  };
  EXPECT_NO_THROW(load(""));
  EXPECT_THAT([&] { load("training: {guided_alignment: {links: /l}}"); },
              ::testing::ThrowsMessage<ConfigError>(
                  ::testing::HasSubstr("links within each line; set two_sentences to 0")));
}

// Regression: the config loaded, but the size had no effect.
TEST(Experiment, RefusesAnInnerSizeThatNothingHas) {
  const attend::test::TempDir dir;
  const std::string one = "data: {train: {source: /a, target: /c}}\n",
                    two = "data: {train: {source: {en: /a, es: /b}, target: /c}}\n";
  const auto load = [&](const std::string& yaml) {
    (void)config::load<Experiment>(dir.write("size.yaml", yaml));
  };
  const std::string dot = "attention: {size: 64, score: dot}";
  for (const std::string& yaml :
       {one + "model: {" + dot + "}",
        two + "model: {" + dot + ", sources: {combination: gate, coattention: dynamic}}"}) {
    EXPECT_THAT([&] { load(yaml); },
                ::testing::ThrowsMessage<ConfigError>(::testing::AllOf(
                    ::testing::HasSubstr("size.yaml:2:"), ::testing::HasSubstr("size: 64"),
                    ::testing::HasSubstr("would have no effect with score dot and scope global"))))
        << yaml;
  }
  for (const std::string& yaml :
       {one + "model: {attention: {size: 64, score: kernel}}",
        one + "model: {attention: {size: 64, score: dot, scope: local_p}}",
        two + "model: {" + dot + "}",
        two + "model: {" + dot + ", sources: {combination: gate, coattention: parallel}}"}) {
    EXPECT_NO_THROW(load(yaml)) << yaml;
  }
}

TEST(Experiment, RefusesToCompareTwoPassesThatAreTheSame) {
  const attend::test::TempDir dir;
  const std::string texts = "data: {train: {source: /a, target: /c}}\n";
  const auto same = dir.write("same.yaml", texts + "training: {r_drop: 5}\n");
  EXPECT_THAT([&] { (void)config::load<Experiment>(same); },
              ::testing::ThrowsMessage<ConfigError>(
                  ::testing::AllOf(::testing::HasSubstr("same.yaml:2:"),
                                   ::testing::HasSubstr("set a rate in model.dropout"))));
  for (const char* drawn : {"dropout: {layer: 0.1}", "dropout: {word: {target: 0.1}}",
                            "attention: {distribution: hard}"}) {
    const auto file =
        dir.write("drawn.yaml", texts + "training: {r_drop: 5}\nmodel: {" + drawn + "}");
    EXPECT_NO_THROW((void)config::load<Experiment>(file)) << drawn;
  }
}

TEST(Experiment, RefusesToCompareTwoPassesWithTheSameMasks) {
  const attend::test::TempDir dir;
  const auto file = dir.write("masks.yaml",
                              "data: {train: {source: /a, target: /c}}\n"
                              "training: {r_drop: 5}\n"
                              "model: {dropout: {embedding: 0.1, embedding_by: type}}\n");
  EXPECT_THAT(
      [&] { (void)config::load<Experiment>(file); },
      ::testing::ThrowsMessage<ConfigError>(::testing::HasSubstr("choose embedding_by: token")));
}

TEST(Experiment, RefusesASeparatorThatLowercasingWouldChange) {
  const attend::test::TempDir dir;
  const auto file = dir.write("capitals.yaml",
                              "data: {train: {source: /a, target: /c}, lowercase: true,\n"
                              "       segments: {separator: SEP}}\n"
                              "model: {encoder: {type: hierarchical}}\n");
  EXPECT_THAT([&] { (void)config::load<Experiment>(file); },
              ::testing::ThrowsMessage<ConfigError>(
                  ::testing::AllOf(::testing::HasSubstr("capitals.yaml:2:"),
                                   ::testing::HasSubstr("write separator: \"sep\""))));
}

TEST(Experiment, SegmentsAreOfMemoriesAndMemoriesOfSegments) {
  const test::TempDir dir;
  const std::string train = "data: {train: {source: a, target: b}";
  const auto refusal = [&](const std::string& yaml) {
    try {
      (void)config::load<Experiment>(dir.write("segments.yaml", yaml));
      return std::string();
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(
      refusal(train + ", segments: {separator: x}}"),
      ::testing::AllOf(::testing::HasSubstr("segments.yaml:1:"),
                       ::testing::HasSubstr("choose encoder.type: memory or hierarchical")));
  EXPECT_THAT(refusal(train + "}\nmodel: {encoder: {type: memory}}"),
              ::testing::AllOf(::testing::HasSubstr("segments.yaml:2:"),
                               ::testing::HasSubstr("give their separator")));
  EXPECT_EQ(refusal(train + ", segments: {separator: x}}\nmodel: {encoder: {type: memory}}"), "");
  const std::string levels = "model: {encoder: {type: hierarchical}";
  EXPECT_THAT(refusal(train + "}\n" + levels + "}"),
              ::testing::HasSubstr("hierarchical reads segments"));
  EXPECT_THAT(refusal(train + ", segments: {separator: \"a,b\"}}\n" + levels + "}"),
              ::testing::HasSubstr("a separator is one symbol without blanks, commas"));
  const std::string segments = train + ", segments: {separator: x}}\n" + levels;
  EXPECT_EQ(refusal(segments + "}"), "");
  for (const auto& [section, expected] : std::vector<std::pair<std::string, std::string>>{
           {"decoder: {type: transformer}", "choose decoder.type: recurrent"},
           {"attention: {score: coverage}", "choose another score"},
           {"attention: {scope: local_m}", "choose scope: global"},
           {"attention: {heads: 2}", "set attention.heads: 1"},
           {"attention: {distribution: hard}", "a distribution other than hard"},
           {"decoder: {bridge: copy}", "choose bridge: last or mean"}}) {
    EXPECT_THAT(
        refusal(segments + ", " + section + "}"),
        ::testing::AllOf(::testing::HasSubstr("segments.yaml:2:"), ::testing::HasSubstr(expected)))
        << section;
  }
}

TEST(Experiment, EveryShippedConfigIsValid) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(ATTEND_SOURCE_DIR "/configs")) {
    if (file.path().extension() != ".yaml" || file.path().filename() == "reference.yaml") continue;
    EXPECT_NO_THROW((void)config::load<Experiment>(file.path())) << file.path();
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace attend::app
