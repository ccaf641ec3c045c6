#include "nn/row_cache.h"

#include <c10/core/InferenceMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <new>
#include <thread>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::TensorEq;
using testing::ElementsAre;

/// Computes [n, n^2] as row n, and counts the numbers computed.
struct Squares {
  std::vector<int64_t> asked;

  RowCache::Compute function() {
    return [this](const torch::Tensor& numbers) {
      for (int64_t i = 0; i < numbers.size(0); ++i) asked.push_back(numbers[i].item<int64_t>());
      const torch::Tensor x = numbers.to(torch::kFloat64);
      return torch::stack({x, x * x}, 1);
    };
  }
};

torch::Tensor numbers(const std::vector<int64_t>& values) {
  return torch::tensor(values, torch::kInt64);
}

TEST(RowCache, ComputesEachRowOnce) {
  Squares squares;
  RowCache cache(10);
  const torch::Tensor first = cache.rows(numbers({3, 5, 3}), squares.function());
  EXPECT_THAT(first,
              TensorEq(torch::tensor({{3.0, 9.0}, {5.0, 25.0}, {3.0, 9.0}}, torch::kFloat64)));
  const torch::Tensor second = cache.rows(numbers({5, 0, 9, 3}), squares.function());
  EXPECT_THAT(second, TensorEq(torch::tensor({{5.0, 25.0}, {0.0, 0.0}, {9.0, 81.0}, {3.0, 9.0}},
                                             torch::kFloat64)));
  EXPECT_THAT(squares.asked, ElementsAre(3, 5, 0, 9));
}

TEST(RowCache, KeepsWhatItHasWhenItGrows) {
  Squares squares;
  RowCache cache(100);
  for (int64_t i = 0; i < 100; ++i) (void)cache.rows(numbers({i}), squares.function());
  const torch::Tensor all = torch::arange(100, torch::kInt64);
  const torch::Tensor x = all.to(torch::kFloat64);
  EXPECT_THAT(cache.rows(all, squares.function()), TensorEq(torch::stack({x, x * x}, 1)));
  EXPECT_EQ(squares.asked.size(), 100U);
}

TEST(RowCache, StaysUnchangedWhenComputingFails) {
  Squares squares;
  RowCache cache(10);
  (void)cache.rows(numbers({1}), squares.function());
  const auto refuse = [](const torch::Tensor&) -> torch::Tensor { throw std::bad_alloc(); };
  EXPECT_THROW((void)cache.rows(numbers({1, 2}), refuse), std::bad_alloc);
  EXPECT_THAT(cache.rows(numbers({2, 1}), squares.function()),
              TensorEq(torch::tensor({{2.0, 4.0}, {1.0, 1.0}}, torch::kFloat64)));
}

TEST(RowCache, WorksInsideAndOutsideOfInferenceMode) {
  Squares squares;
  RowCache cache(10);
  {
    const c10::InferenceMode mode;
    (void)cache.rows(numbers({1, 2, 3}), squares.function());
  }
  EXPECT_THAT(cache.rows(numbers({4, 2}), squares.function()),
              TensorEq(torch::tensor({{4.0, 16.0}, {2.0, 4.0}}, torch::kFloat64)));
}

TEST(RowCache, GivesManyThreadsAtOnceTheirRows) {
  RowCache cache(2000);
  const RowCache::Compute squares = [](const torch::Tensor& asked) {
    const torch::Tensor x = asked.to(torch::kFloat64);
    return torch::stack({x, x * x}, 1);
  };
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, &squares, t] {
      for (int64_t step = 0; step < 500; ++step) {  // the same numbers in different orders
        const torch::Tensor asked =
            torch::arange(20, torch::kInt64).mul(2 * t + 1).add(step * 7).remainder(2000);
        const torch::Tensor x = asked.to(torch::kFloat64);
        EXPECT_TRUE(torch::equal(cache.rows(asked, squares), torch::stack({x, x * x}, 1)));
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace attend::nn
