// Prints the training speed of a model on random sentences as one JSON line. For machines that have
// little more than LibTorch, especially with GPUs (tests/bench/bare builds it there).
//   train_bench [--device cuda] [--threads 1] [--kernels plain] [--precision f32] [--seconds 30]
//               [--vocabulary 8000] [--size 512] [--sentences 80] [--length 13]
// The model is that of tests/bench/reference.yaml with variable sizes: a bidirectional LSTM encoder
// with --size units per direction and an LSTM decoder with additive attention and input feeding. A
// sentence has 1/2 to 3/2 of --length words. The large job is --vocabulary 32000 --size 1024
// --sentences 630, with batches of about 8,192 target words.
#include <ATen/Parallel.h>
#include <torch/utils.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "data/batch.h"
#include "train/update/updater.h"

namespace attend {
namespace {

/// The command-line options by name.
using Settings = std::map<std::string, std::string>;

Settings parse(int argc, char** argv) {
  Settings settings{{"--device", "cpu"},      {"--threads", "1"},    {"--kernels", "fused"},
                    {"--precision", "f32"},   {"--seconds", "30"},   {"--size", "512"},
                    {"--vocabulary", "8000"}, {"--sentences", "80"}, {"--length", "13"}};
  for (int i = 1; i < argc; i += 2) {
    const auto setting = settings.find(argv[i]);
    if (setting == settings.end() || i + 1 == argc) {
      throw std::invalid_argument(std::string(argv[i]) +
                                  ": unknown option or missing value; see train_bench.cpp");
    }
    setting->second = argv[i + 1];
  }
  return settings;
}

int64_t number(const Settings& settings, const std::string& name) {
  return std::stoll(settings.at(name));
}

template <NamedEnum Enum>
Enum choice(const Settings& settings, const std::string& name) {
  const auto value = enum_value<Enum>(settings.at(name));
  if (!value) throw std::invalid_argument(name + ": unknown value; see train_bench.cpp");
  return *value;
}

model::ModelOptions model_options(int64_t size) {
  model::ModelOptions options;
  options.embedding = size;
  auto& encoder = options.encoder.emplace<model::RecurrentEncoderOptions>();
  auto& decoder = options.decoder.emplace<model::RecurrentDecoderOptions>();
  encoder.cell = decoder.cell = nn::CellKind::lstm;
  encoder.layers = decoder.layers = 1;
  encoder.hidden = decoder.hidden = size;
  encoder.bidirectional = true;
  decoder.wiring = model::WiringKind::luong;
  decoder.input_feeding = true;
  options.attention.score = nn::ScoreKind::additive;
  return options;
}

train::TrainingOptions training_options(const Settings& settings) {
  train::TrainingOptions options;
  options.optimizer = train::OptimizerKind::adam;
  options.kernels = choice<decode::KernelKind>(settings, "--kernels");
  options.precision = choice<train::Precision>(settings, "--precision");
  return options;
}

using Sentence = std::vector<text::TokenId>;

Sentence sentence_of(int64_t length, int64_t vocabulary, std::mt19937& random) {
  std::uniform_int_distribution<text::TokenId> word(text::kSpecialSymbols,
                                                    static_cast<text::TokenId>(vocabulary - 1));
  Sentence sentence;
  for (int64_t i = 0; i < length; ++i) sentence.push_back(word(random));
  return sentence;
}

/// A batch of random pairs; both sides of a pair have equal length.
data::Batch random_batch(const Settings& settings, std::mt19937& random) {
  const int64_t usual = number(settings, "--length"), vocabulary = number(settings, "--vocabulary");
  std::uniform_int_distribution<int64_t> length((usual + 1) / 2, usual + usual / 2);
  std::vector<Sentence> sources, targets;
  data::Batch batch;
  for (int64_t i = 0; i < number(settings, "--sentences"); ++i) {
    const int64_t words = length(random);
    sources.push_back(sentence_of(words, vocabulary, random));
    targets.push_back(sentence_of(words, vocabulary, random));
    batch.source_tokens += words + 1;
    batch.target_tokens += words + 1;
  }
  batch.sources = {data::frame_sources(std::move(sources))};
  data::FramedTargets framed = data::frame_targets(std::move(targets));
  batch.target_input = std::move(framed.input);
  batch.target_output = std::move(framed.output);
  return batch;
}

struct Speed {
  int64_t updates = 0;
  int64_t target_tokens = 0;
  double seconds = 0.0;
};

/// Updates for `seconds`. Each update waits for its loss, so none is still running at the end.
Speed measure(train::Updater& updater, const std::vector<data::Batch>& batches, double seconds) {
  using Clock = std::chrono::steady_clock;
  Speed speed;
  const Clock::time_point start = Clock::now();
  while (speed.seconds < seconds) {
    const data::Batch& batch = batches[static_cast<std::size_t>(speed.updates) % batches.size()];
    const train::UpdateResult result = updater.update({{&batch, 1}, 0.001, speed.updates, 1, 0.0});
    if (!result.applied) throw std::runtime_error("the loss is not finite");
    speed.target_tokens += result.target_tokens;
    ++speed.updates;
    speed.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return speed;
}

void run(const Settings& settings) {
  at::set_num_threads(static_cast<int>(number(settings, "--threads")));
  torch::manual_seed(1);
  const int64_t vocabulary = number(settings, "--vocabulary");
  model::Seq2Seq model(model_options(number(settings, "--size")), vocabulary, vocabulary);
  {
    const torch::NoGradGuard no_grad;
    for (torch::Tensor& parameter : model.parameters()) parameter.uniform_(-0.05, 0.05);
  }
  model.to(torch::Device(settings.at("--device")));
  model.train();
  const train::FlatParameters parameters(model);
  train::Updater updater(model, parameters, training_options(settings));
  std::mt19937 random(1);
  std::vector<data::Batch> batches;
  for (int i = 0; i < 8; ++i) batches.push_back(random_batch(settings, random));
  (void)measure(updater, batches, 2.0);  // warm-up: allocates memory, generates code
  const Speed speed = measure(updater, batches, std::stod(settings.at("--seconds")));
  std::printf(
      "{\"device\": \"%s\", \"threads\": %s, \"kernels\": \"%s\", \"precision\": \"%s\", "
      "\"parameters\": %lld, \"updates\": %lld, \"target_tokens_per_second\": %.0f}\n",
      settings.at("--device").c_str(), settings.at("--threads").c_str(),
      settings.at("--kernels").c_str(), settings.at("--precision").c_str(),
      static_cast<long long>(parameters.count()), static_cast<long long>(speed.updates),
      static_cast<double>(speed.target_tokens) / speed.seconds);
}

}  // namespace
}  // namespace attend

int main(int argc, char** argv) {
  try {
    attend::run(attend::parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "train_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
