#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "distributed/device_collectives.h"
#include "distributed/links.h"

namespace attend::distributed {

/// Operations on CPU tensors through the store of the rendezvous, for programs without Gloo. Each
/// returns when it is done. All values pass through the process that hosts the store, so this is
/// slow: it is meant for small tensors, and for the start of a run.
class StoreCollectives final : public DeviceCollectives {
 public:
  explicit StoreCollectives(Links links) : links_(std::move(links)) {}

  [[nodiscard]] int64_t rank() const override { return links_.place.rank; }
  [[nodiscard]] int64_t size() const override { return links_.place.size; }
  void queue(const std::function<void()>& task) override { task(); }
  void all_reduce(const torch::Tensor& values) override;
  void all_to_all(const torch::Tensor& received, const torch::Tensor& sent) override;
  void all_gather(const torch::Tensor& received, const torch::Tensor& sent) override;
  void broadcast(const torch::Tensor& values) override;
  void wait() override {}
  void abandon() noexcept override {}

 private:
  struct Note {
    int64_t operation;
    std::string key;
  };

  /// Posts `values` for process `to`, or for all (-1).
  void post(int64_t to, const torch::Tensor& values);
  /// Fills `values` with what process `from` posted for process `to`.
  void fetch(int64_t from, int64_t to, const torch::Tensor& values);
  /// Removes notes that all processes have read, after an operation in which each sent something
  /// to each: they have then finished all operations before.
  void remove_read_notes();

  Links links_;
  int64_t operations_ = 0;
  std::vector<Note> notes_;  // posted here and not yet removed
};

}  // namespace attend::distributed
