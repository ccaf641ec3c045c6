// Every attention through the whole program: trains, stops, resumes, translates and aligns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/named_enum.h"
#include "nn/attention/names.h"
#include "storage/weights_file.h"
#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::TempDir;
using test::Ended;
using testing::SizeIs;

struct Case {
  std::string name;
  std::vector<std::string> settings;  // below model.attention
};

void PrintTo(const Case& attention, std::ostream* out) {
  *out << attention.name;
}

/// Every score, distribution and scope at least once. The three lists are walked in parallel,
/// because each case runs the program several times.
std::vector<Case> all_cases() {
  const auto scores = enum_names<nn::ScoreKind>(),
             distributions = enum_names<nn::DistributionKind>(),
             scopes = enum_names<nn::ScopeKind>();
  std::vector<Case> cases;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::string& distribution = distributions[i % distributions.size()];
    const std::string& scope = scopes[i % scopes.size()];
    cases.push_back({scores[i] + "_" + distribution + "_" + scope,
                     {"score=" + scores[i], "distribution=" + distribution, "scope=" + scope,
                      i % 5 == 0 ? "heads=2" : "heads=1"}});
    if (scores[i] == "location") cases.back().settings.emplace_back("max_source_length=20");
    if (scope.starts_with("local")) cases.back().settings.emplace_back("window=1");
  }
  cases.push_back({"gumbel", {"distribution=hard", "estimator=gumbel"}});
  cases.push_back({"features", {"score=concat", "per_feature=true"}});
  return cases;
}

std::vector<std::string> lines_in_file(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A decoder of the same size as the encoder's output, so that every score fits.
std::vector<std::string> settings_of(const Case& attention) {
  std::vector<std::string> settings = {"model.decoder.hidden=10", "model.decoder.wiring=bahdanau"};
  for (const std::string& setting : attention.settings) {
    settings.push_back("model.attention." + setting);
  }
  return settings;
}

std::string train(const TempDir& dir, const std::string& name, const Case& attention, int updates) {
  std::vector<std::string> settings = settings_of(attention);
  settings.push_back("training.max_updates=" + std::to_string(updates));
  return test::train_tiny_model(dir, name, settings).string();
}

void resume(const TempDir& dir, const std::string& name, const Case& attention, int updates) {
  std::vector<std::string> arguments = {
      "train",    (dir / (name + ".yaml")).string(),
      "--output", (dir / name).string(),
      "--device", "cpu",
      "--quiet",  "--resume",
      "--set",    "training.max_updates=" + std::to_string(updates)};
  for (const std::string& setting : settings_of(attention)) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  const Ended ended = test::run_program(arguments);
  ASSERT_EQ(ended.code, 0) << ended.err;
}

class AttentionFamily : public testing::TestWithParam<Case> {};

TEST_P(AttentionFamily, TrainsResumesTranslatesAndAligns) {
  const TempDir dir;
  const auto source = dir.write("source", "a b c\n\nd a b c d\na\n").string();
  const auto target = dir.write("target", "w x y\nz\nz w\n\n").string();
  const std::string model = train(dir, "model", GetParam(), 2);
  resume(dir, "model", GetParam(), 3);
  const Ended translated = test::run_program(
      {"translate", "--model", model, "--input", source, "--beam", "5", "--quiet"});
  ASSERT_EQ(translated.code, 0) << translated.err;
  EXPECT_THAT(lines_in_file(translated.out), SizeIs(4));
  const Ended aligned = test::run_program({"align", "--model", model, "--source", source,
                                           "--target", target, "--format", "jsonl", "--quiet"});
  ASSERT_EQ(aligned.code, 0) << aligned.err;
  ASSERT_THAT(lines_in_file(aligned.out), SizeIs(4));
  const auto& settings = GetParam().settings;
  EXPECT_EQ(nlohmann::json::parse(lines_in_file(aligned.out)[2]).contains("heads"),
            std::find(settings.begin(), settings.end(), "heads=2") != settings.end());
}

INSTANTIATE_TEST_SUITE_P(Registry, AttentionFamily, testing::ValuesIn(all_cases()),
                         [](const auto& test_case) { return test_case.param.name; });

// The reward baseline and the coverage must be restored.
TEST(HardCoverage, ResumesAsIfItHadNotStopped) {
  const TempDir dir;
  const Case attention{"hard_coverage", {"distribution=hard", "score=coverage"}};
  const std::string whole = train(dir, "whole", attention, 4);
  const std::string stopped = train(dir, "stopped", attention, 2);
  resume(dir, "stopped", attention, 4);
  const auto resumed = storage::load_tensors(stopped + "/last.safetensors").tensors;
  for (const auto& [name, tensor] : storage::load_tensors(whole + "/last.safetensors").tensors) {
    EXPECT_TRUE(torch::equal(resumed.at(name), tensor)) << name;
  }
}

TEST(AttentionReference, ExplainsEveryName) {
  const Ended ended = test::run_program({"config"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  for (const auto& names : {enum_names<nn::ScoreKind>(), enum_names<nn::DistributionKind>(),
                            enum_names<nn::ScopeKind>()}) {
    for (const std::string& name : names) {
      EXPECT_THAT(ended.out, testing::HasSubstr("    #   " + name + ": ")) << name;
    }
  }
}

}  // namespace
}  // namespace attend::cli
