// Compares the distributions of a GPU, run on an emulated block, with those of the CPU.
#include "kernels/device/distribution.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/device/block.h"

namespace attend::kernels::device {
namespace {

class DistributionByBlock : public testing::TestWithParam<DistributionKind> {};

/// Energies with ties and far outliers.
std::vector<double> energies_of(int64_t count) {
  std::vector<double> energies;
  for (int64_t s = 0; s < count; ++s) {
    energies.push_back(s % 7 == 3 ? 2.5 : std::sin(3.0 * static_cast<double>(s)) * 3.0);
  }
  return energies;
}

TEST_P(DistributionByBlock, IsThatOfTheCpu) {
  const Distribution how{GetParam(), 0.7};
  for (const int64_t count : {1, 2, 9, 100}) {
    std::vector<double> expected = energies_of(count), actual = expected;
    std::vector<double> expected_kept(expected.size()), actual_kept(expected.size());
    HostBlock block;
    distribute(how, expected.data(), expected_kept.data(), count);
    distribute_by(block, how, actual.data(), actual_kept.data(), count);
    std::vector<double> expected_gradient, actual_gradient;
    for (int64_t s = 0; s < count; ++s) {
      expected_gradient.push_back(std::cos(static_cast<double>(s)));
    }
    actual_gradient = expected_gradient;
    distribute_gradient(how, expected.data(), expected_kept.data(), expected_gradient.data(),
                        count);
    distribute_gradient_by(block, how, actual.data(), actual_kept.data(), actual_gradient.data(),
                           count);
    for (std::size_t s = 0; s < expected.size(); ++s) {
      EXPECT_NEAR(actual[s], expected[s], 1e-13) << s << " of " << count;
      EXPECT_NEAR(actual_kept[s], expected_kept[s], 1e-13) << s << " of " << count;
      EXPECT_NEAR(actual_gradient[s], expected_gradient[s], 1e-13) << s << " of " << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, DistributionByBlock,
                         testing::Values(DistributionKind::softmax, DistributionKind::sparsemax,
                                         DistributionKind::entmax15, DistributionKind::sigmoid,
                                         DistributionKind::sigmoid_share, DistributionKind::largest,
                                         DistributionKind::straight_through));

}  // namespace
}  // namespace attend::kernels::device
