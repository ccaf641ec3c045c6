#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "kernels/loop/loop.h"
#include "tests/kernels/numbers.h"

namespace attend::kernels {

/// Memory for a loop over steps of 4, 3, 3 and 1 rows, in double, and a check of its gradients.
class LoopCheck {
 public:
  using Body = std::function<Operations()>;

  [[nodiscard]] const Steps& steps() const { return steps_; }

  /// An input series, including a state before the first step.
  Series<double> given(int64_t size) {
    const int64_t front = steps_.rows(0) * size, count = front + steps_.total() * size;
    const Place place = leaf(count);
    return {place.values + front, place.gradients + front, &steps_, size};
  }

  /// A series that operations write. The state before its first step is an input.
  Series<double> computed(int64_t size) {
    const Series<double> series = given(size);
    std::fill_n(series.values, steps_.total() * size, 0.0);
    computed_.push_back(series);
    return series;
  }

  Leaf<double> matrix(int64_t rows, int64_t columns) {
    const Place place = leaf(rows * columns);
    return {{place.values, rows, columns, columns}, {place.gradients, rows, columns, columns}};
  }

  struct Place {
    double* values;
    double* gradients;
  };
  /// Creates `count` input numbers.
  Place leaf(int64_t count) {
    values_.push_back(noise<double>(count, seed_++));
    gradients_.emplace_back(static_cast<std::size_t>(count));
    return {values_.back().data(), gradients_.back().data()};
  }

  /// Creates `count` input numbers without a gradient.
  const double* constants(int64_t count) {
    constants_.push_back(noise<double>(count, seed_++));
    return constants_.back().data();
  }

  void run_forward_once(const Body& body) {
    std::vector<Operations> loops(1);
    loops[0] = body();
    run_forward(loops, steps_);
  }

  /// Sets the initial gradients of all inputs, which the backward pass adds to.
  void begin_gradients_with(double number) { there_ = number; }

  /// Expects the gradients of all inputs to match central differences of sum_i r_i result_i for a
  /// random r.
  void expect_gradients(const Body& body, const Series<double>& result) {
    const auto weights = noise<double>(steps_.total() * result.size, 99);
    const auto given = values_;
    const auto objective = [&] {
      const auto before = values_;
      run_forward_once(body);
      double sum = 0.0;
      for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * result.values[i];
      restore(before);
      return sum;
    };
    std::vector<Operations> loops(1);
    loops[0] = body();
    run_forward(loops, steps_);
    for (auto& gradient : gradients_) std::fill(gradient.begin(), gradient.end(), there_);
    for (const auto& series : computed_) std::fill_n(series.gradients, count(series), 0.0);
    std::copy(weights.begin(), weights.end(), result.gradients);
    run_backward(loops, steps_);
    restore(given);
    compare(objective);
  }

 private:
  /// Restores in place, since series point to the numbers.
  void restore(const std::deque<std::vector<double>>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::copy(values[i].begin(), values[i].end(), values_[i].begin());
    }
  }

  [[nodiscard]] int64_t count(const Series<double>& series) const {
    return steps_.total() * series.size;
  }

  [[nodiscard]] bool is_computed(const double* x) const {
    return std::any_of(computed_.begin(), computed_.end(), [&](const auto& series) {
      return x >= series.values && x < series.values + count(series);
    });
  }

  void compare(const std::function<double()>& objective) {
    for (std::size_t leaf = 0; leaf < values_.size(); ++leaf) {
      for (std::size_t i = 0; i < values_[leaf].size(); ++i) {
        double& x = values_[leaf][i];
        if (is_computed(&x)) continue;
        EXPECT_NEAR(there_ + slope(x, objective), gradients_[leaf][i], 1e-7)
            << "number " << i << " of input " << leaf;
      }
    }
  }

  Steps steps_{{4, 3, 3, 1}};
  unsigned seed_ = 1;
  std::deque<std::vector<double>> values_, gradients_, constants_;
  std::vector<Series<double>> computed_;
  double there_ = 0.0;
};

}  // namespace attend::kernels
