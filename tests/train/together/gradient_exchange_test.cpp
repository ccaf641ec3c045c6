#include "train/together/gradient_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "data/batching.h"
#include "nn/execution.h"
#include "tests/train/tiny_run.h"
#include "train/objective/teacher_forcing.h"

namespace attend::train {
namespace {

/// Another process without gradients, which records what it receives.
class Witness final : public distributed::Communicator {
 public:
  [[nodiscard]] int64_t rank() const override { return 0; }
  [[nodiscard]] int64_t size() const override { return 2; }
  void begin_sum(const torch::Tensor& values, distributed::Wire /*wire*/) override {
    sent.push_back(values);
    then.push_back(values.clone());
    offsets.push_back(values.storage_offset());
  }
  void finish_sums() override {}
  void take_from_first(const torch::Tensor& /*values*/) override {}
  [[nodiscard]] std::string decide(const std::function<std::string()>& task) override {
    return task();
  }
  [[nodiscard]] std::vector<std::string> collect(const std::string& note) override {
    return {note, note};
  }
  [[nodiscard]] std::vector<std::string> exchange(const std::string& /*topic*/,
                                                  const std::string& note) override {
    return {note, note};
  }
  [[nodiscard]] std::string name_of(int64_t /*rank*/) const override { return "rank 0"; }

  std::vector<torch::Tensor> sent;  // current contents
  std::vector<torch::Tensor> then;  // contents when sent
  std::vector<int64_t> offsets;
};

struct Exchanged {
  explicit Exchanged(std::shared_ptr<model::Seq2Seq> the_model, bool fused = true,
                     bool recompute = false)
      : model(std::move(the_model)),
        parameters(*model),
        exchange(parameters, witness, distributed::Wire::full, /*bucket=*/100),
        memory{parameters.values(), parameters.gradients()},
        execution{.fused = fused, .recompute = recompute, .gradients = &memory} {}

  void backward() {
    const nn::ExecutionScope scope(execution);
    std::vector<int64_t> pairs(6);
    std::iota(pairs.begin(), pairs.end(), 0);
    teacher_forced_loss(*model, data::make_batch(*test::copy_corpus(6), pairs), 0.1)
        .objective.backward();
  }

  std::shared_ptr<model::Seq2Seq> model;
  FlatParameters parameters;
  Witness witness;
  GradientExchange exchange;
  nn::GradientMemory memory;
  nn::Execution execution;
};

/// Runs two passes; returns the offsets of the buckets that were sent before they were complete.
std::vector<int64_t> sent_too_early(Exchanged& run) {
  run.backward();
  EXPECT_TRUE(run.witness.sent.empty()) << "sent in a pass that was not the last";
  run.exchange.expect_last_pass();
  run.backward();
  EXPECT_GT(run.witness.sent.size(), 3U) << "nothing was sent before the pass ended";
  run.exchange.send_remaining();
  std::vector<int64_t> early;
  for (std::size_t i = 0; i < run.witness.sent.size(); ++i)
    if (!torch::equal(run.witness.sent[i], run.witness.then[i]))
      early.push_back(run.witness.offsets[i]);
  return early;
}

std::shared_ptr<model::Seq2Seq> tied_model() {
  model::ModelOptions options;
  options.embedding = 6;
  options.tie = model::Tie::all;
  std::get<model::RecurrentEncoderOptions>(options.encoder).hidden = 5;
  std::get<model::RecurrentDecoderOptions>(options.decoder).hidden = 7;
  auto model =
      std::make_shared<model::Seq2Seq>(options, test::kTinyVocabulary, test::kTinyVocabulary);
  model::initialize(*model, 3);
  return model;
}

TEST(GradientExchange, SendsWhatIsCompleteWhileThePassGoesOn) {
  Exchanged fused(test::tiny_model(0.0));
  EXPECT_THAT(sent_too_early(fused), testing::IsEmpty());
  Exchanged plain(test::tiny_model(0.0), /*fused=*/false);
  EXPECT_THAT(sent_too_early(plain), testing::IsEmpty());
}

TEST(GradientExchange, SendsLayersThatAreComputedAgainWhenTheyAreComplete) {
  Exchanged run(test::tiny_transformer(), /*fused=*/true, /*recompute=*/true);
  EXPECT_THAT(sent_too_early(run), testing::IsEmpty());
}

// A tied matrix gets gradients at both ends of the pass.
TEST(GradientExchange, WaitsForAllUsesOfATiedParameter) {
  Exchanged run(tied_model());
  EXPECT_THAT(sent_too_early(run), testing::IsEmpty());
}

TEST(GradientExchange, SendsEverythingOnceFromTheEnd) {
  Exchanged run(test::tiny_model(0.0));
  for (int update = 0; update < 2; ++update) {
    run.witness.offsets.clear();
    run.witness.sent.clear();
    if (update == 0) run.exchange.expect_last_pass();
    if (update == 0) run.backward();
    run.exchange.send_remaining();  // this process has nothing to compute in the second update
    int64_t total = 0;
    for (const torch::Tensor& sent : run.witness.sent) total += sent.numel();
    EXPECT_EQ(total, run.parameters.gradients().numel());
    EXPECT_TRUE(std::is_sorted(run.witness.offsets.rbegin(), run.witness.offsets.rend()));
    EXPECT_EQ(run.witness.offsets.back(), 0);
  }
}

}  // namespace
}  // namespace attend::train
