#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "distributed/join.h"
#include "distributed/links.h"
#include "distributed/process_watch.h"
#include "distributed/rendezvous.h"
#include "distributed/sums.h"

namespace attend::distributed {

/// Connects all processes for sums of tensors on a device; see open_sums().
using OpenSums = std::function<std::unique_ptr<Sums>(torch::Device device, const Links& links)>;

/// A group whose notes and decisions go through the store of the rendezvous. Only tensors take
/// another way.
class StoreGroup final : public Group {
 public:
  /// See join().
  StoreGroup(const Place& place, OpenSums open_sums);
  ~StoreGroup() override;
  StoreGroup(const StoreGroup&) = delete;
  StoreGroup& operator=(const StoreGroup&) = delete;

  [[nodiscard]] int64_t rank() const override { return place_.rank; }
  [[nodiscard]] int64_t size() const override { return place_.size; }
  void begin_sum(const torch::Tensor& values, Wire wire) override;
  void finish_sums() override;
  [[nodiscard]] SharedMemory* memory() const override { return memory_.get(); }
  void take_from_first(const torch::Tensor& values) override;
  [[nodiscard]] std::string decide(const std::function<std::string()>& task) override;
  [[nodiscard]] std::vector<std::string> collect(const std::string& note) override;
  [[nodiscard]] std::vector<std::string> exchange(const std::string& topic,
                                                  const std::string& note) override;
  [[nodiscard]] std::string name_of(int64_t rank) const override;
  void connect(std::chrono::milliseconds timeout, torch::Device device) override;
  void report_failure(const std::string& message) noexcept override;
  void part() noexcept override;

 private:
  struct Finding {
    std::vector<int64_t> missing;  // ranks that are gone or hang
    std::string failure;           // the message that one of them reported
    bool speaks = true;            // see PeerError
  };

  void meet();
  void watch_processes();
  [[nodiscard]] Links links(std::chrono::milliseconds timeout);
  void check_peers();
  void open_all_sums(const Links& links, torch::Device device);
  [[nodiscard]] Sums& sums_of(const torch::Tensor& values) const;
  void share_memory(std::chrono::milliseconds timeout);
  void wait_for_end();
  void end_last();
  std::string lead(const std::string& key, const std::function<std::string()>& task);
  template <class Task>
  void run_collective(const char* what, const Task& task);
  [[noreturn]] void throw_lost(const PeerLost& lost);
  [[noreturn]] void throw_missing(const std::string& what, const std::string& why);
  void abandon_sums();
  [[nodiscard]] Finding find_missing();
  [[nodiscard]] Finding wait_for_notices();

  Place place_;
  OpenSums open_sums_;
  std::unique_ptr<Rendezvous> rendezvous_;
  std::vector<std::string> names_;      // by rank
  std::vector<ProcessWatch> watches_;   // by rank
  std::unique_ptr<Sums> sums_;          // of CPU tensors
  std::unique_ptr<Sums> sums_of_gpus_;  // null on the CPU
  std::unique_ptr<SharedMemory> memory_;
  int64_t decisions_ = 0;
  int64_t collections_ = 0;
};

}  // namespace attend::distributed
