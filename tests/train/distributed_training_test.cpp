#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/utils.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <variant>

#include "core/error.h"
#include "distributed/join.h"
#include "distributed/open_sums.h"
#include "tests/distributed/in_threads.h"
#include "tests/support/temp_dir.h"
#include "tests/train/tiny_run.h"

namespace attend::train {
namespace {

/// The result of a run of several processes.
struct Trained {
  std::vector<double> losses;                // of the updates, as seen by the leader
  std::map<int64_t, torch::Tensor> weights;  // by rank, in the end
  std::map<int64_t, int64_t> updates;        // by rank, in the end
  int64_t validations = 0;                   // by all processes
};

struct Plan {
  int64_t processes = 1;
  bool resume = false;
  std::function<void(test::TinyRun&, int64_t rank)> change = [](test::TinyRun&, int64_t) {};
  test::Meeting meeting = {};
};

/// Processes on one machine share memory unless an interface for messages is given.
class ByMessages {
 public:
  ByMessages() { ::setenv("GLOO_SOCKET_IFNAME", "lo", 1); }
  ~ByMessages() { ::unsetenv("GLOO_SOCKET_IFNAME"); }
  ByMessages(const ByMessages&) = delete;
  ByMessages& operator=(const ByMessages&) = delete;
};

torch::Tensor weights_of(const model::Seq2Seq& model) {
  std::vector<torch::Tensor> all;
  for (const auto& parameter : model.parameters()) all.push_back(parameter.detach().flatten());
  return torch::cat(all).clone();
}

void train_one(const std::filesystem::path& folder, const Plan& plan,
               distributed::Communicator* peers, Trained& trained, std::mutex& mutex) {
  const int64_t rank = peers == nullptr ? 0 : peers->rank();
  test::ScriptedValidator validator({3.0, 2.0});
  test::TinyRun run(folder, &validator);
  run.model = test::tiny_model(0.0);
  run.peers = peers;
  plan.change(run, rank);
  Trainer trainer = run.trainer();
  if (plan.resume && rank == 0) trainer.resume();
  const RunSummary summary = trainer.run();
  const std::lock_guard lock(mutex);
  trained.weights[rank] = weights_of(*run.model);
  trained.updates[rank] = summary.point.update;
  trained.validations += validator.calls;
  if (rank != 0) return;
  for (const UpdateReport& update : run.recorder.updates) trained.losses.push_back(update.loss);
}

Trained train_in(const std::filesystem::path& folder, const Plan& plan) {
  Trained trained;
  std::mutex mutex;
  if (plan.processes == 1) {
    train_one(folder, plan, nullptr, trained, mutex);
  } else {
    const auto train_in_group = [&](distributed::Group& group) {
      train_one(folder, plan, &group, trained, mutex);
    };
    test::run_in_group(plan.processes, train_in_group, plan.meeting);
  }
  return trained;
}

Trained train(const Plan& plan) {
  const test::TempDir dir;
  return train_in(dir.path(), plan);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() && !a.empty() ? 0.0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// 17 pairs in batches of 4: the last batch of an epoch has one pair, so three of four processes
// have no share of it.
TEST(DistributedTraining, GivesTheSameCurveWithOneTwoAndFourProcesses) {
  const Trained one = train({1});
  EXPECT_LT(largest_difference(one.losses, train({2}).losses), 1e-5);
  EXPECT_LT(largest_difference(one.losses, train({4}).losses), 1e-5);
}

TEST(DistributedTraining, GivesTheSameCurveByMessages) {
  const ByMessages by_messages;
  EXPECT_LT(largest_difference(train({1}).losses, train({3}).losses), 1e-5);
}

// The tensors are on the CPU, but gradients take the way that they take between GPUs.
TEST(DistributedTraining, GivesTheSameCurveAndBitsOnTheWayOfGpus) {
  const ByMessages by_messages;
  Plan plan{3};
  plan.meeting.join = test::join_as_on_gpus;
  const Trained first = train(plan);
  const Trained second = train(plan);
  EXPECT_LT(largest_difference(train({1}).losses, first.losses), 1e-5);
  EXPECT_EQ(largest_difference(first.losses, second.losses), 0.0);
  for (int64_t rank = 0; rank < 3; ++rank) {
    EXPECT_TRUE(torch::equal(first.weights.at(rank), first.weights.at(0))) << rank;
    EXPECT_TRUE(torch::equal(first.weights.at(rank), second.weights.at(rank))) << rank;
  }
}

// A group of one process, which has one GPU.
TEST(DistributedTraining, GivesTheSameCurveOnAGpuThroughNccl) {
  if (!torch::cuda::is_available() || !distributed::has_nccl()) GTEST_SKIP() << "no GPU or NCCL";
  const auto on_gpu = [](bool in_group) {
    const test::TempDir dir;
    Trained trained;
    std::mutex mutex;
    Plan plan;
    plan.change = [](test::TinyRun& run, int64_t) { run.model->to(torch::kCUDA); };
    plan.meeting.device = [](int64_t) { return torch::Device(torch::kCUDA, 0); };
    const auto train = [&](distributed::Communicator* peers) {
      train_one(dir.path(), plan, peers, trained, mutex);
    };
    if (!in_group) train(nullptr);
    if (in_group)
      test::run_in_group(
          1, [&](distributed::Group& group) { train(&group); }, plan.meeting);
    return trained.losses;
  };
  EXPECT_LT(largest_difference(on_gpu(false), on_gpu(true)), 1e-4);
}

TEST(DistributedTraining, GivesTheSameBitsInAllProcessesAndInEveryRun) {
  const Trained first = train({3});
  const Trained second = train({3});
  EXPECT_EQ(largest_difference(first.losses, second.losses), 0.0);
  for (int64_t rank = 0; rank < 3; ++rank) {
    EXPECT_TRUE(torch::equal(first.weights.at(rank), first.weights.at(0))) << rank;
    EXPECT_TRUE(torch::equal(first.weights.at(rank), second.weights.at(rank))) << rank;
  }
}

TEST(DistributedTraining, GivesTheSameBitsInAllProcessesByMessages) {
  const ByMessages by_messages;
  const Trained trained = train({3});
  for (int64_t rank = 1; rank < 3; ++rank)
    EXPECT_TRUE(torch::equal(trained.weights.at(rank), trained.weights.at(0))) << rank;
}

// Dropout masks, dropped words and R-Drop's two passes depend on the line, not on the process that
// computes it.
TEST(DistributedTraining, DrawsTheSameForALineInWhicheverProcess) {
  for (const double r_drop : {0.0, 1.0}) {
    const auto change = [r_drop](test::TinyRun& run, int64_t) {
      run.model = test::tiny_model(0.2);
      run.options.accumulate = 2;
      run.options.r_drop = r_drop;
    };
    const Trained one = train({1, false, change});
    EXPECT_LT(largest_difference(one.losses, train({2, false, change}).losses), 1e-5) << r_drop;
    EXPECT_LT(largest_difference(one.losses, train({4, false, change}).losses), 1e-5) << r_drop;
  }
}

// In the tiny model of the tests one process changes all parameters.
TEST(DistributedTraining, DividesTheParametersOfALargerModel) {
  const auto change = [](test::TinyRun& run, int64_t) {
    model::ModelOptions options;
    options.embedding = 96;
    std::get<model::RecurrentEncoderOptions>(options.encoder).hidden = 96;
    std::get<model::RecurrentDecoderOptions>(options.decoder).hidden = 96;
    run.model =
        std::make_shared<model::Seq2Seq>(options, test::kTinyVocabulary, test::kTinyVocabulary);
    model::initialize(*run.model, 3);
    run.options.max_updates = 8;
  };
  EXPECT_LT(largest_difference(train({1, false, change}).losses, train({3, false, change}).losses),
            1e-4);
}

TEST(DistributedTraining, AddsUpAccumulatedBatchesToo) {
  const auto change = [](test::TinyRun& run, int64_t) { run.options.accumulate = 3; };
  EXPECT_LT(largest_difference(train({1, false, change}).losses, train({2, false, change}).losses),
            1e-5);
}

TEST(DistributedTraining, StaysNearTheSameCurveWithGradientsInBf16) {
  const auto change = [](test::TinyRun& run, int64_t) {
    run.options.distributed.precision = GradientPrecision::bf16;
  };
  const Trained full = train({3});
  const Trained rounded = train({3, false, change});
  const double difference = largest_difference(full.losses, rounded.losses);
  EXPECT_GT(difference, 0.0) << "it was not sent in bf16";
  EXPECT_LT(difference, 0.02);
  EXPECT_TRUE(torch::equal(rounded.weights.at(0), rounded.weights.at(1)));
  EXPECT_TRUE(torch::equal(rounded.weights.at(0), rounded.weights.at(2)));
}

TEST(DistributedTraining, ValidatesInAllProcesses) {
  EXPECT_EQ(3 * train({1}).validations, train({3}).validations);
}

// Only the leader has the files of snapshots.
TEST(DistributedTraining, AveragesSnapshotsWithAllProcesses) {
  const auto change = [](test::TinyRun& run, int64_t rank) {
    run.options.average.last = 2;
    if (rank > 0) run.folder = "/dev/null/nowhere";
  };
  const int64_t one = train({1, false, change}).validations;
  EXPECT_EQ(3 * one, train({3, false, change}).validations);
  EXPECT_EQ(one, train({1}).validations + 1);
}

// Each process has a clock. A process with a fast clock must not stop alone or use another learning
// rate.
TEST(DistributedTraining, FollowsTheClockOfTheFirst) {
  const auto by_clock = [](double ahead) {
    return train({2, false, [ahead](test::TinyRun& run, int64_t rank) {
                    run.options.schedule = ScheduleKind::one_cycle;
                    run.options.max_epochs = 0;
                    run.options.max_minutes = 1.0;
                    run.options.save_every.minutes = 0.25;
                    if (rank == 0) return;
                    run.recorder.after_update = [&run, ahead](int64_t) { run.time += ahead; };
                  }});
  };
  const Trained trained = by_clock(1000.0);
  EXPECT_EQ(trained.updates.at(0), trained.updates.at(1));
  EXPECT_GT(trained.updates.at(0), 3);
  EXPECT_EQ(largest_difference(trained.losses, by_clock(0.0).losses), 0.0);
}

TEST(DistributedTraining, GoesOnWithAnotherNumberOfProcesses) {
  const auto first_part = [](test::TinyRun& run, int64_t) { run.options.max_updates = 6; };
  const Trained undisturbed = train({1});
  const test::TempDir dir;
  const Trained begun = train_in(dir.path(), {2, false, first_part});
  const Trained gone_on = train_in(dir.path(), {3, true});
  std::vector<double> losses = begun.losses;
  losses.insert(losses.end(), gone_on.losses.begin(), gone_on.losses.end());
  EXPECT_EQ(begun.losses.size(), 6U);
  EXPECT_LT(largest_difference(undisturbed.losses, losses), 1e-5);
}

TEST(DistributedTraining, EndsEverywhereWhenTheFirstCannotSave) {
  const auto change = [](test::TinyRun& run, int64_t) {
    run.folder = "/dev/null/nowhere";
    run.options.on_save_error = OnSaveError::stop;
  };
  EXPECT_THROW(train({2, false, change}), DataError);
}

// If one process alone threw, the others would wait for it.
TEST(DistributedTraining, EndsEverywhereWhereTheLastWeightsAreNotFinite) {
  const test::TempDir dir;
  test::run_in_group(2, [&](distributed::Group& group) {
    test::TinyRun run(dir.path());
    run.peers = &group;
    run.options.max_updates = 3;
    run.recorder.after_update = [&](int64_t update) {
      if (update < 3) return;
      const torch::NoGradGuard no_grad;
      for (auto& parameter : run.model->parameters()) parameter.fill_(NAN);
    };
    EXPECT_THROW(run.trainer().run(), NumericError);
  });
}

}  // namespace
}  // namespace attend::train
