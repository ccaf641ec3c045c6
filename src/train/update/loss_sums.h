#pragma once
#include <torch/types.h>

#include <array>
#include <cstddef>
#include <memory>

namespace attend::train {

/// The losses of an update, summed over its batches. Values on the CPU are read at once. Values on
/// a GPU are summed there, and all sums are read together, so that the host waits only once.
class LossSums {
 public:
  enum Term : std::size_t { nll, alignment, divergence, risk, squares, kTerms };
  using Values = std::array<double, kTerms>;

  /// Adds `share` times `value`, a scalar. `stays`: it stays on its device and is read later.
  void add(Term term, const torch::Tensor& value, double share, bool stays);
  void add(Term term, double value) { read_[term] += value; }

  /// All sums [kTerms] in double, on the device of the values. Requires: some value stayed there.
  [[nodiscard]] torch::Tensor there() const;
  /// The sums read so far.
  [[nodiscard]] const Values& read() const { return read_; }
  /// Adds the values of there(), now on the CPU.
  void take(const torch::Tensor& arrived);

 private:
  Values read_ = {};
  std::array<torch::Tensor, kTerms> waiting_;  // scalars; undefined: none
};

/// Copies a tensor to the CPU in the background.
class Arrival {
 public:
  /// Begins the copy, after the work that the device has been given so far.
  explicit Arrival(const torch::Tensor& x);
  ~Arrival();
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;

  /// Waits until the copy is complete, but not for later work of the device.
  [[nodiscard]] const torch::Tensor& value();

 private:
  struct Event;
  torch::Tensor there_;
  torch::Tensor host_;
  std::unique_ptr<Event> event_;  // null: nothing to wait for
};

}  // namespace attend::train
