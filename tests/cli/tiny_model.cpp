#include "tests/cli/tiny_model.h"

#include <stdexcept>

#include "tests/cli/program.h"

namespace attend::cli::test {
namespace {

constexpr const char* kModelConfig = R"(
seed: 3
data:
  train: {source: train.src, target: train.tgt}
  max_length: 12
tokenizer: {type: word, vocabulary: 16, joint: false}
model:
  embedding: 6
  encoder: {cell: gru, hidden: 5}
  decoder: {cell: gru, hidden: 7, wiring: luong}
training: {max_updates: 1, batch: {size: 4, unit: sentences}}
decoding: {beam: 2, batch_size: 3}
)";

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

std::filesystem::path train_tiny_model(const attend::test::TempDir& dir, const std::string& name,
                                       const std::vector<std::string>& overrides) {
  dir.write("train.src", repeated("a b c\nb c d\nc d a b\nd a\n", 3));
  dir.write("train.tgt", repeated("w x y\nx y z\ny z w x\nz w\n", 3));
  const auto model = dir / name;
  std::vector<std::string> arguments{"train",    dir.write(name + ".yaml", kModelConfig).string(),
                                     "--output", model.string(),
                                     "--device", "cpu",
                                     "--quiet"};
  for (const std::string& override : overrides) {
    arguments.insert(arguments.end(), {"--set", override});
  }
  const Ended ended = run_program(arguments);
  if (ended.code != 0) throw std::runtime_error("attend train failed: " + ended.err);
  return model;
}

void SuiteModel::make() {
  dir_.emplace();
  (void)train_tiny_model(*dir_, "model", {});
}

}  // namespace attend::cli::test
