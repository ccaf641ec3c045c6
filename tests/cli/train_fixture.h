#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/fault_point.h"
#include "core/signal.h"
#include "tests/cli/program.h"
#include "tests/support/temp_dir.h"

namespace attend::cli::test {

inline constexpr const char* kConfig = R"(
seed: 3
data:
  train: {source: train.src, target: train.tgt}
  dev: {source: dev.src, target: dev.tgt}
tokenizer: {type: word, vocabulary: 16, joint: false}
model:
  embedding: 6
  encoder: {cell: gru, hidden: 5}
  decoder: {cell: gru, hidden: 7, wiring: luong}
training:
  batch: {size: 4, unit: sentences}
  max_epochs: 2
  log_every: 1
decoding: {beam: 2}
)";

/// A folder with a corpus of 13 pairs and a config for it. An epoch has 4 batches, whatever the
/// size of the first.
class TrainFixture : public testing::Test {
 protected:
  TrainFixture() {
    std::string source;
    std::string target;
    for (int i = 0; i < 3; ++i) {
      source += "a b c\nb c d\nc d a b\nd a\n";
      target += "w x y\nx y z\ny z w x\nz w\n";
    }
    dir.write("train.src", source + "a d\n");
    dir.write("train.tgt", target + "w z\n");
    dir.write("dev.src", "a b\nc d\n");
    dir.write("dev.tgt", "w x\ny z\n");
    dir.write("tiny.yaml", kConfig);
  }
  void TearDown() override {
    clear_requested_stop();
    plan_faults("");
  }

  Ended train(const std::vector<std::string>& more, const std::string& output = "run") const {
    std::vector<std::string> arguments = {"train",     (dir / "tiny.yaml").string(),
                                          "--output",  (dir / output).string(),
                                          "--device",  "cpu",
                                          "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  std::vector<std::string> history(const std::string& output = "run") const {
    std::vector<std::string> lines;
    std::istringstream text(attend::test::read_text(dir / output / "train.jsonl"));
    for (std::string line; std::getline(text, line);) {
      auto object = nlohmann::json::parse(line);
      object.erase("timing");
      lines.push_back(object.dump());
    }
    return lines;
  }

  void write_in_run(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(dir / "run");
    dir.write("run/" + name, content);
  }

  bool has(const std::string& name) const { return std::filesystem::exists(dir / name); }

  attend::test::TempDir dir;
};

}  // namespace attend::cli::test
