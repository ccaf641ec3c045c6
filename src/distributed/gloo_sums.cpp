#include "distributed/gloo_sums.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <utility>

#include "distributed/gloo_device.h"

namespace attend::distributed {

/// The sum of one piece, in two communication steps, so that the steps of several pieces can
/// overlap.
class GlooSums::Sum {
 public:
  Sum() = default;
  virtual ~Sum() = default;
  Sum(const Sum&) = delete;
  Sum& operator=(const Sum&) = delete;

  /// Starts the second step. Called once; the constructor starts the first.
  virtual void advance() = 0;
  /// Waits for the result. Called once, after advance().
  virtual void finish() = 0;
};

namespace {

using Work = c10::intrusive_ptr<c10d::Work>;

constexpr int64_t kPieceValues = int64_t{1} << 20;  // values

/// The upper half of a float, rounded to nearest, ties to even. NaN stays NaN.
uint16_t to_bf16(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const bool is_nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
  const uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
  return static_cast<uint16_t>(is_nan ? 0x7FC0U : rounded);
}

float from_bf16(uint16_t value) {
  const uint32_t bits = static_cast<uint32_t>(value) << 16;
  float wide = 0.0F;
  std::memcpy(&wide, &bits, sizeof wide);
  return wide;
}

/// A buffer for bf16 values. Gloo has no bf16 type, but it only copies the bytes, so half works.
torch::Tensor wire_buffer(int64_t size) {
  return at::empty({size}, torch::kHalf);
}

uint16_t* wire_data(const torch::Tensor& buffer) {
  return static_cast<uint16_t*>(buffer.data_ptr());
}

class RingSum final : public GlooSums::Sum {
 public:
  RingSum(c10d::ProcessGroupGloo& gloo, const torch::Tensor& values)
      : sum_({values}), work_(gloo.allreduce(sum_)) {}

  void advance() override {}

  void finish() override { work_->wait(); }

 private:
  std::vector<torch::Tensor> sum_;
  Work work_;
};

class Bf16Sum final : public GlooSums::Sum {
 public:
  Bf16Sum(c10d::ProcessGroupGloo& gloo, const torch::Tensor& values)
      : gloo_(gloo),
        own_(values),
        ranks_(gloo.getSize()),
        part_((values.numel() + ranks_ - 1) / ranks_),
        sent_(wire_buffer(ranks_ * part_)),
        received_(wire_buffer(ranks_ * part_)) {
    const auto* const from = own_.data_ptr<float>();
    uint16_t* const end = std::transform(from, from + own_.numel(), wire_data(sent_), to_bf16);
    std::fill(end, wire_data(sent_) + sent_.numel(), uint16_t{0});
    work_ = gloo_.alltoall_base(received_, sent_, no_splits_, no_splits_);
  }

  void advance() override {
    work_->wait();
    sum_ = {wire_buffer(part_)};
    const std::vector<float> sums = sums_of_own_part();
    uint16_t* const end =
        std::transform(sums.begin(), sums.end(), wire_data(sum_.front()), to_bf16);
    std::fill(end, wire_data(sum_.front()) + part_, uint16_t{0});
    gathered_ = {received_.chunk(ranks_)};
    work_ = gloo_.allgather(gathered_, sum_);
  }

  void finish() override {
    work_->wait();
    const uint16_t* const from = wire_data(received_);
    std::transform(from, from + own_.numel(), own_.data_ptr<float>(), from_bf16);
  }

 private:
  [[nodiscard]] std::vector<float> sums_of_own_part() const {
    const int64_t begin = std::min(gloo_.getRank() * part_, own_.numel());
    const int64_t count = std::min(part_, own_.numel() - begin);
    std::vector<float> sums(static_cast<std::size_t>(count));
    for (int64_t rank = 0; rank < ranks_; ++rank) {
      const float* const own = own_.data_ptr<float>() + begin;
      const uint16_t* const other = wire_data(received_) + rank * part_;
      const bool is_own = rank == gloo_.getRank();
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += is_own ? own[i] : from_bf16(other[i]);
    }
    return sums;
  }

  c10d::ProcessGroupGloo& gloo_;
  torch::Tensor own_;
  int64_t ranks_;
  int64_t part_;  // number of values that each process adds up
  torch::Tensor sent_;
  torch::Tensor received_;  // addends of our part, by rank; later the sums
  std::vector<int64_t> no_splits_;
  std::vector<torch::Tensor> sum_;
  std::vector<std::vector<torch::Tensor>> gathered_;
  Work work_;
};

c10::intrusive_ptr<c10d::ProcessGroupGloo> connect_through_gloo(const Links& links) {
  auto options = c10d::ProcessGroupGloo::Options::create(links.timeout);
  options->devices.push_back(choose_device(links.place));
  const auto store = c10::make_intrusive<c10d::PrefixStore>("gloo", links.rendezvous.store());
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(links.place.rank),
                                                     static_cast<int>(links.place.size), options);
}

/// Runs `task`. Any error of Gloo means that another process is lost.
template <class Task>
void through_gloo(const Task& task) {
  try {
    task();
  } catch (const std::exception& error) {
    throw LostContact(error.what());
  }
}

}  // namespace

GlooSums::GlooSums(const Links& links)
    : gloo_(connect_through_gloo(links)), thread_([this] { run(); }) {}

GlooSums::~GlooSums() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void GlooSums::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return ended_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

void GlooSums::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void GlooSums::begin(const torch::Tensor& values, Wire wire) {
  post(Task([this, values, wire] {
    try {
      if (!failure_) start(values, wire);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }));
}

void GlooSums::finish() {
  Task task([this] { complete(); });
  auto done = task.get_future();
  post(std::move(task));
  through_gloo([&] { done.get(); });
}

void GlooSums::take_from_first(const torch::Tensor& values) {
  through_gloo([&] {
    std::vector<at::Tensor> copy = {values.contiguous()};
    gloo_->broadcast(copy)->wait();
    if (gloo_->getRank() != 0 && !copy.front().is_same(values)) values.copy_(copy.front());
  });
}

/// Gloo matches messages by counting them. So the order in which pieces start and advance must
/// depend only on the order of calls.
void GlooSums::start(const torch::Tensor& values, Wire wire) {
  for (int64_t begin = 0; begin < values.numel(); begin += kPieceValues) {
    const torch::Tensor piece =
        values.narrow(0, begin, std::min(kPieceValues, values.numel() - begin));
    if (wire == Wire::bf16) {
      sums_.push_back(std::make_unique<Bf16Sum>(*gloo_, piece));
    } else {
      sums_.push_back(std::make_unique<RingSum>(*gloo_, piece));
    }
    if (sums_.size() > 1) sums_[sums_.size() - 2]->advance();
  }
}

void GlooSums::complete() {
  if (failure_) std::rethrow_exception(failure_);
  if (!sums_.empty()) sums_.back()->advance();
  for (const auto& sum : sums_) sum->finish();
  sums_.clear();
}

}  // namespace attend::distributed
