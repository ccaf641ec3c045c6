// The simulated GPU finds what a GPU would find. Run with the library preloaded, as CTest does.
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <cstdlib>
#include <thread>

namespace attend::simulated_gpu {
namespace {

using torch::Tensor;

class SimulatedGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("ATTEND_SIMULATED_GPU") == nullptr)
      GTEST_SKIP() << "run it by: ctest --test-dir build -R simulated_gpu";
  }
};
using SimulatedGpuDeathTest = SimulatedGpu;

Tensor numbers(torch::Device device) {
  return torch::arange(6, torch::kFloat64).view({2, 3}).to(device);
}

TEST_F(SimulatedGpu, IsTheOnlyDevice) {
  EXPECT_EQ(torch::cuda::device_count(), 1U);
  EXPECT_TRUE(numbers(torch::kCUDA).is_cuda());
}

TEST_F(SimulatedGpu, ComputesWhatTheCpuDoes) {
  const Tensor host = numbers(torch::kCPU), there = numbers(torch::kCUDA);
  EXPECT_TRUE(host.mm(host.t()).equal(there.mm(there.t()).cpu()));
  EXPECT_TRUE(host.softmax(1).equal(there.softmax(1).cpu()));
  EXPECT_EQ(there.sum().item<double>(), 15.0);
}

TEST_F(SimulatedGpu, ChangesThroughViewsAndOutputs) {
  const Tensor there = numbers(torch::kCUDA);
  there.select(0, 1).narrow(0, 1, 2).fill_(-1.0);
  EXPECT_TRUE(
      there.cpu().equal(torch::tensor({{0.0, 1.0, 2.0}, {3.0, -1.0, -1.0}}, torch::kFloat64)));
  Tensor result = torch::empty({0}, there.options());
  at::mul_out(result, there, there);
  EXPECT_TRUE(result.is_cuda());
  EXPECT_TRUE(result.cpu().equal((there * there).cpu()));
}

TEST_F(SimulatedGpu, RefusesOperandsOnDifferentDevices) {
  const Tensor host = numbers(torch::kCPU), there = numbers(torch::kCUDA);
  EXPECT_THROW(host.add(there), c10::Error);
  EXPECT_THROW(there.mm(host.t()), c10::Error);
  EXPECT_THROW(there.index_select(0, torch::tensor({1})), c10::Error);
  EXPECT_THROW(torch::cat({there, host}), c10::Error);
  EXPECT_THROW(there.index_put({torch::tensor({1})}, host.select(0, 0)), c10::Error);
  EXPECT_THROW(host.index({torch::tensor({1}).to(torch::kCUDA)}), c10::Error);
  EXPECT_THROW(host.sum().add_(there.sum()), c10::Error);
  EXPECT_THROW(torch::stack({there.sum(), host.sum()}), c10::Error);
  EXPECT_NO_THROW(there.index({torch::tensor({1})}));
  EXPECT_NO_THROW(there.mul(torch::tensor(2.0, torch::kFloat64)));  // a number may be anywhere
}

TEST_F(SimulatedGpuDeathTest, HasMemoryThatTheHostCannotRead) {
  const Tensor there = numbers(torch::kCUDA);
  const double* const data = there.data_ptr<double>();
  EXPECT_DEATH(static_cast<void>(*static_cast<const volatile double*>(data)), "");
}

/// Remembers the thread of its backward pass.
class Identity : public torch::autograd::Function<Identity> {
 public:
  static Tensor forward(torch::autograd::AutogradContext*, const Tensor& x) { return x.clone(); }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 const torch::autograd::variable_list& gradients) {
    thread = std::this_thread::get_id();
    return gradients;
  }
  static std::thread::id thread;
};
std::thread::id Identity::thread;

TEST_F(SimulatedGpu, ComputesGradientsInAThreadOfItsOwn) {
  const auto backward_of = [](torch::Device device) {
    const Tensor x = numbers(device).set_requires_grad(true);
    Identity::apply(x).sum().backward();
    EXPECT_TRUE(x.grad().cpu().equal(torch::ones({2, 3}, torch::kFloat64)));
    return Identity::thread;
  };
  EXPECT_EQ(backward_of(torch::kCPU), std::this_thread::get_id());
  EXPECT_NE(backward_of(torch::kCUDA), std::this_thread::get_id());
}

}  // namespace
}  // namespace attend::simulated_gpu
