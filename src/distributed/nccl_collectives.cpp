// Compiled only with a LibTorch for CUDA and NCCL.
#include "distributed/nccl_collectives.h"

#include <ATen/Functions.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <fmt/format.h>
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace attend::distributed {
namespace {

constexpr std::chrono::microseconds kNcclPoll(20);

ncclDataType_t nccl_type(torch::ScalarType type) {
  switch (type) {
    case torch::kFloat32:
      return ncclFloat32;
    case torch::kFloat64:
      return ncclFloat64;
    case torch::kInt64:
      return ncclInt64;
    default:
      throw std::logic_error(fmt::format("NCCL: no sums of {}", c10::toString(type)));
  }
}

/// Bytes as text for the rendezvous.
std::string written_id(const ncclUniqueId& id) {
  return {id.internal, sizeof id.internal};
}

ncclUniqueId read_id(const std::string& text) {
  ncclUniqueId id{};
  std::memcpy(id.internal, text.data(), std::min(text.size(), sizeof id.internal));
  return id;
}

/// NCCL never blocks the host here (config.blocking = 0), so that every wait for another process
/// has a limit.
class NcclCollectives final : public DeviceCollectives {
 public:
  NcclCollectives(torch::Device device, Links links);
  /// Does not wait for the other processes, unlike ncclCommDestroy().
  ~NcclCollectives() override { abandon(); }
  NcclCollectives(const NcclCollectives&) = delete;
  NcclCollectives& operator=(const NcclCollectives&) = delete;

  [[nodiscard]] int64_t rank() const override { return links_.place.rank; }
  [[nodiscard]] int64_t size() const override { return links_.place.size; }
  void queue(const std::function<void()>& task) override;
  void all_reduce(const torch::Tensor& values) override;
  void all_to_all(const torch::Tensor& received, const torch::Tensor& sent) override;
  void all_gather(const torch::Tensor& received, const torch::Tensor& sent) override;
  void broadcast(const torch::Tensor& values) override;
  void wait() override;
  void abandon() noexcept override;

 private:
  void connect();
  void try_out();
  /// Throws LostContact unless NCCL accepted a call.
  void check(ncclResult_t result) const;
  /// Checks `result` and waits until NCCL has passed the call on to the device.
  void settle(ncclResult_t result) const;
  /// True if NCCL is busy with the last call. Throws LostContact if it failed.
  [[nodiscard]] bool is_busy() const;

  torch::Device device_;
  Links links_;
  c10::cuda::CUDAStream stream_;
  ncclComm_t nccl_ = nullptr;
};

NcclCollectives::NcclCollectives(torch::Device device, Links links)
    : device_(device),
      links_(std::move(links)),
      stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/true, device.index())) {
  try {
    connect();
    try_out();
  } catch (...) {
    abandon();
    throw;
  }
}

void NcclCollectives::connect() {
  const c10::cuda::CUDAGuard guard(device_);
  ncclUniqueId own{};
  if (rank() == 0) check(ncclGetUniqueId(&own));
  const ncclUniqueId id = read_id(links_.exchange("nccl", written_id(own)).front());
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  settle(ncclCommInitRankConfig(&nccl_, static_cast<int>(size()), id, static_cast<int>(rank()),
                                &config));
}

/// Makes NCCL set up its connections now: errors must come before work that they would spoil.
void NcclCollectives::try_out() {
  const torch::Tensor count = at::ones({1}, torch::TensorOptions(device_).dtype(torch::kInt64));
  queue([&] { all_reduce(count); });
  wait();
  if (count.item<int64_t>() != size())
    throw LostContact(
        fmt::format("NCCL counts {} processes, not {}", count.item<int64_t>(), size()));
}

void NcclCollectives::check(ncclResult_t result) const {
  if (result == ncclSuccess || result == ncclInProgress) return;
  const char* const details = ncclGetLastError(nccl_);
  const bool has_details = details != nullptr && *details != '\0';
  throw LostContact(fmt::format("NCCL: {}{}{}", ncclGetErrorString(result), has_details ? ": " : "",
                                has_details ? details : ""));
}

bool NcclCollectives::is_busy() const {
  ncclResult_t state = ncclSuccess;
  check(ncclCommGetAsyncError(nccl_, &state));
  check(state);
  return state == ncclInProgress;
}

void NcclCollectives::settle(ncclResult_t result) const {
  check(result);
  for (WaitLimit limit(links_); is_busy(); limit.check()) std::this_thread::yield();
}

void NcclCollectives::queue(const std::function<void()>& task) {
  at::cuda::CUDAEvent ready;
  ready.record(c10::cuda::getCurrentCUDAStream(device_.index()));
  ready.block(stream_);
  const c10::cuda::CUDAStreamGuard guard(stream_);
  task();
}

void NcclCollectives::all_reduce(const torch::Tensor& values) {
  settle(ncclAllReduce(values.data_ptr(), values.data_ptr(),
                       static_cast<std::size_t>(values.numel()), nccl_type(values.scalar_type()),
                       ncclSum, nccl_, stream_.stream()));
}

void NcclCollectives::all_to_all(const torch::Tensor& received, const torch::Tensor& sent) {
  const std::size_t bytes = sent.nbytes() / static_cast<std::size_t>(size());
  const auto* const from = static_cast<const char*>(sent.data_ptr());
  auto* const to = static_cast<char*>(received.data_ptr());
  check(ncclGroupStart());
  for (int64_t other = 0; other < size(); ++other) {
    const std::size_t row = static_cast<std::size_t>(other) * bytes;
    const int peer = static_cast<int>(other);
    check(ncclSend(from + row, bytes, ncclUint8, peer, nccl_, stream_.stream()));
    check(ncclRecv(to + row, bytes, ncclUint8, peer, nccl_, stream_.stream()));
  }
  settle(ncclGroupEnd());
}

void NcclCollectives::all_gather(const torch::Tensor& received, const torch::Tensor& sent) {
  settle(ncclAllGather(sent.data_ptr(), received.data_ptr(), sent.nbytes(), ncclUint8, nccl_,
                       stream_.stream()));
}

void NcclCollectives::broadcast(const torch::Tensor& values) {
  settle(ncclBroadcast(values.data_ptr(), values.data_ptr(), values.nbytes(), ncclUint8,
                       /*root=*/0, nccl_, stream_.stream()));
}

void NcclCollectives::wait() {
  at::cuda::CUDAEvent done;
  done.record(stream_);
  done.block(c10::cuda::getCurrentCUDAStream(device_.index()));
  for (WaitLimit limit(links_); !done.query(); limit.check()) {
    static_cast<void>(is_busy());
    std::this_thread::sleep_for(kNcclPoll);
  }
}

void NcclCollectives::abandon() noexcept {
  if (nccl_ != nullptr) static_cast<void>(ncclCommAbort(std::exchange(nccl_, nullptr)));
}

}  // namespace

std::unique_ptr<DeviceCollectives> open_nccl(torch::Device device, const Links& links) {
  return std::make_unique<NcclCollectives>(device, links);
}

}  // namespace attend::distributed
