#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace attend::kernels {

/// Random numbers between -1 and 1.
template <class T>
std::vector<T> noise(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& value : x) value = static_cast<T>(uniform(generator));
  return x;
}

/// The derivative of objective() by x, by central differences.
inline double slope(double& x, const std::function<double()>& objective) {
  constexpr double kStep = 1e-5;
  const double middle = x;
  x = middle + kStep;
  const double above = objective();
  x = middle - kStep;
  const double below = objective();
  x = middle;
  return (above - below) / (2.0 * kStep);
}

/// Expects `gradient` to be the derivatives with respect to all numbers of x.
inline void expect_slopes(std::vector<double>& x, const std::vector<double>& gradient,
                          const std::function<double()>& objective, const char* name) {
  ASSERT_EQ(x.size(), gradient.size()) << name;
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(slope(x[i], objective), gradient[i], 1e-7) << name << '[' << i << ']';
  }
}

inline double sigmoid_of(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b.at(i);
  return sum;
}

/// Expects two results, of the same or different types, to be near each other.
template <class T, class U>
void expect_near(const std::vector<T>& x, const std::vector<U>& expected, double tolerance) {
  ASSERT_EQ(x.size(), expected.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(x[i]), static_cast<double>(expected[i]), tolerance) << i;
  }
}

/// The types that kernels support.
using FloatAndDouble = testing::Types<float, double>;

/// Tolerance of short computations on numbers between -1 and 1.
template <class T>
constexpr double kTolerance = sizeof(T) == sizeof(float) ? 3e-6 : 1e-14;

}  // namespace attend::kernels
