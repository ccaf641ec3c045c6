#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace attend::distributed {

class SharedMemory;

/// How numbers travel between processes. `bf16`, for float: each process rounds what it adds to
/// bf16 (where it travels), the sum is made in float and rounded to bf16 once. Half the bytes.
enum class Wire { full, bf16 };

/// The processes that train one model together, as one of them sees them. All must call the same
/// functions in the same order. The first process, of rank 0, leads: it alone logs, writes and
/// decides what cannot be computed by all. All functions throw PeerError where another process is
/// gone or silent.
class Communicator {
 public:
  virtual ~Communicator() = default;

  [[nodiscard]] virtual int64_t rank() const = 0;
  [[nodiscard]] virtual int64_t size() const = 0;
  [[nodiscard]] bool leads() const { return rank() == 0; }

  /// Replaces `values` [N] by their sums over all processes: the same bits in all of them, and in
  /// every run of as many processes.
  void sum(const torch::Tensor& values) {
    begin_sum(values, Wire::full);
    finish_sums();
  }

  /// Begins what sum() does and returns at once. Until finish_sums(), `values` [N] must stay as
  /// they are, and nothing but other sums may be begun. Sums are made in the order of their
  /// beginnings, several at a time.
  virtual void begin_sum(const torch::Tensor& values, Wire wire) = 0;
  /// Waits until all sums that were begun are there.
  virtual void finish_sums() = 0;

  /// What all processes share; null: they do not run on one machine, or cannot share memory there.
  [[nodiscard]] virtual SharedMemory* memory() const { return nullptr; }

  /// Replaces `values` by those of the first process.
  virtual void take_from_first(const torch::Tensor& values) = 0;

  /// What `task` returns in the first process, where alone it runs. The others wait for it, as long
  /// as it takes, while that process is alive. What it throws, all throw; UserErrors keep their
  /// exit code.
  [[nodiscard]] virtual std::string decide(const std::function<std::string()>& task) = 0;

  /// The `note` of every process, by rank, in the first; the others return nothing, and do not
  /// wait.
  [[nodiscard]] virtual std::vector<std::string> collect(const std::string& note) = 0;

  /// The `note` of every process, by rank. `topic` is a name of its own for each call.
  [[nodiscard]] virtual std::vector<std::string> exchange(const std::string& topic,
                                                          const std::string& note) = 0;

  /// "rank 1 (host a)".
  [[nodiscard]] virtual std::string name_of(int64_t rank) const = 0;
};

}  // namespace attend::distributed
