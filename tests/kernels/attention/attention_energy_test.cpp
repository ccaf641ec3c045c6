#include "kernels/attention/attention_energy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/loop/loop.h"
#include "tests/kernels/loop_check.h"

namespace attend::kernels {
namespace {

constexpr int64_t kPlaces = 6, kWide = 5, kDeep = 2;
const std::vector<int64_t> kRealOf = {6, 1, 5, 3};

/// An attention over steps of 4, 3, 3 and 1 rows, with one memory per row.
struct AttentionCheck {
  explicit AttentionCheck(int64_t the_wide = kWide) : wide(the_wide) {}

  int64_t wide;
  LoopCheck check;
  Distribution distribution = {};
  int64_t reach = -1;
  LoopCheck::Place keys = check.leaf(4 * kPlaces * wide), values = check.leaf(4 * kPlaces * kDeep);
  LoopCheck::Place vector = check.leaf(wide), one = check.leaf(1);
  Series<double> query = check.given(wide);
  Series<double> weights = check.computed(kPlaces), kept = check.computed(kPlaces);
  Series<double> context = check.computed(kDeep);
  Series<double> place = {};
  const double* mask = nullptr;

  [[nodiscard]] AttentionKeys<double> read() const {
    return {keys.values, keys.gradients, kPlaces, wide};
  }
  static SharedNumbers<double> shared(const LoopCheck::Place& numbers, int64_t count) {
    return {numbers.values, numbers.gradients, count};
  }

  [[nodiscard]] std::unique_ptr<Operation> operation(
      std::unique_ptr<AttentionEnergy<double>> energy) const {
    AttentionMemory<double> memory;
    memory.positions = kPlaces;
    memory.size = kDeep;
    memory.values = values.values;
    memory.d_values = values.gradients;
    memory.lengths = kRealOf.data();
    AttentionResult<double> result{distribution, weights, kept, mask, context};
    return attention<double>(memory, {reach, /*position=*/1, place}, std::move(energy), result);
  }

  template <class Energy>
  [[nodiscard]] LoopCheck::Body body(const Energy& energy) const {
    return [this, energy] {
      Operations operations;
      operations.push_back(operation(energy()));
      return operations;
    };
  }

  template <class Energy>
  void expect_gradients(const Energy& energy) {
    check.expect_gradients(body(energy), context);
    check.expect_gradients(body(energy), weights);
  }

  [[nodiscard]] std::unique_ptr<AttentionEnergy<double>> dot(ProductForm form) const {
    return dot_energy<double>(read(), query, form, shared(one, 1));
  }

  /// The difference of two energies of a row, computed from its softmax weights.
  [[nodiscard]] double difference(int64_t row, int64_t s, int64_t r) const {
    return std::log(weights.values[row * kPlaces + s]) -
           std::log(weights.values[row * kPlaces + r]);
  }
};

TEST(AttentionEnergy, OfAProductHasItsGradientsInEveryForm) {
  for (const auto form : {ProductForm::itself, ProductForm::tanh, ProductForm::logarithm}) {
    AttentionCheck it;
    it.expect_gradients([&] { return it.dot(form); });
  }
}

TEST(AttentionEnergy, OfAProductIsItsFormula) {
  const auto product = [](const AttentionCheck& it, int64_t s) {
    double sum = 0.0;
    for (int64_t a = 0; a < kWide; ++a) sum += it.keys.values[s * kWide + a] * it.query.values[a];
    return sum;
  };
  const auto formed = [](ProductForm form, double x, double bias) {
    if (form == ProductForm::tanh) return std::tanh(x + bias);
    if (form == ProductForm::logarithm) return std::log(std::max(x, 1e-30));
    return x;
  };
  for (const auto form : {ProductForm::itself, ProductForm::tanh, ProductForm::logarithm}) {
    AttentionCheck it;
    it.check.run_forward_once(it.body([&] { return it.dot(form); }));
    for (int64_t s = 1; s < kPlaces; ++s) {
      const double expected = formed(form, product(it, s), *it.one.values) -
                              formed(form, product(it, 0), *it.one.values);
      EXPECT_NEAR(it.difference(0, s, 0), expected, 1e-12) << s;
    }
  }
}

TEST(AttentionEnergy, OfTanhHasItsGradients) {
  AttentionCheck it;
  it.expect_gradients(
      [&] { return tanh_energy<double>(it.read(), it.query, it.shared(it.vector, kWide)); });
}

/// Two filters of width three over numbers that are an input of each step.
struct TraceCheck : AttentionCheck {
  using AttentionCheck::AttentionCheck;

  Series<double> numbers = check.given(kPlaces);
  LoopCheck::Place filters = check.leaf(2 * 3), weight = check.leaf(2 * wide);
  LoopCheck::Place rates = check.leaf(4 * kPlaces);
  bool rated = true;

  [[nodiscard]] std::unique_ptr<AttentionEnergy<double>> energy() const {
    return trace_energy<double>(
        read(), query, shared(vector, wide),
        {numbers, rated ? rates.values : nullptr, rated ? rates.gradients : nullptr,
         shared(filters, 6), shared(weight, 2 * wide), 3});
  }
};

TEST(AttentionEnergy, OfATraceHasItsGradients) {
  for (const bool rated : {true, false}) {
    TraceCheck it;
    it.rated = rated;
    it.expect_gradients([&] { return it.energy(); });
  }
}

// 91 = 64 + 16 + 8 + 3 numbers cover every size of block and single numbers. Windows begin and end
// anywhere, and sparsemax leaves positions without a gradient.
TEST(AttentionEnergy, OfAWideTraceHasItsGradientsInWindowsAndWithoutSomePositions) {
  for (const bool windowed : {false, true}) {
    TraceCheck it(91);
    it.reach = windowed ? 1 : -1;
    it.distribution.kind = windowed ? DistributionKind::sparsemax : DistributionKind::softmax;
    it.expect_gradients([&] { return it.energy(); });
  }
}

TEST(AttentionEnergy, OfATraceIsItsFormula) {
  TraceCheck it;
  it.check.run_forward_once(it.body([&] { return it.energy(); }));
  const auto energy = [&](int64_t s) {
    double sum = 0.0;
    for (int64_t a = 0; a < kWide; ++a) {
      double inside = it.keys.values[s * kWide + a] + it.query.values[a];
      for (int64_t j = 0; j < 2; ++j) {
        for (int64_t i = 0; i < 3; ++i) {
          const int64_t seen = s + i - 1;
          if (seen < 0 || seen >= kPlaces) continue;
          inside += it.filters.values[j * 3 + i] * it.rates.values[seen] * it.numbers.values[seen] *
                    it.weight.values[j * kWide + a];
        }
      }
      sum += it.vector.values[a] * std::tanh(inside);
    }
    return sum;
  };
  for (int64_t s = 1; s < kPlaces; ++s) {
    EXPECT_NEAR(it.difference(0, s, 0), energy(s) - energy(0), 1e-12) << s;
  }
}

TEST(AttentionEnergy, GivenEnergyHasItsGradients) {
  AttentionCheck it;
  const auto given = it.check.given(kPlaces);
  it.expect_gradients([&] { return given_energy<double>(given); });
}

// Distances of positions 0 to 5 from the first target position, 1: -1 to 4, limited to 2.
TEST(AttentionEnergy, OfADistanceIsAddedByPosition) {
  AttentionCheck it;
  const auto bias = it.check.leaf(5);
  const auto given = it.check.given(kPlaces);
  std::fill_n(given.values, kPlaces, 0.0);
  const auto energy = [&] {
    return biased_energy<double>(given_energy<double>(given), 4, 1, it.shared(bias, 5), 1);
  };
  it.check.run_forward_once(it.body(energy));
  const int64_t places[] = {1, 2, 3, 4, 4, 4};
  for (int64_t s = 1; s < kPlaces; ++s) {
    EXPECT_NEAR(it.difference(0, s, 0), bias.values[places[s]] - bias.values[places[0]], 1e-12);
  }
  it.expect_gradients(energy);
}

TEST(AttentionLoop, HasItsGradientsInEveryDistribution) {
  for (const auto kind :
       {DistributionKind::softmax, DistributionKind::sparsemax, DistributionKind::entmax15,
        DistributionKind::sigmoid, DistributionKind::sigmoid_share}) {
    AttentionCheck it;
    it.distribution = {kind, kind == DistributionKind::softmax ? 0.7 : 1.0};
    it.expect_gradients([&] { return it.dot(ProductForm::itself); });
  }
}

TEST(AttentionLoop, HasItsGradientsThroughAMask) {
  AttentionCheck it;
  it.mask = it.check.constants(it.check.steps().total() * kPlaces);
  it.expect_gradients([&] { return it.dot(ProductForm::itself); });
}

TEST(AttentionLoop, AppliesItsMask) {
  AttentionCheck it;
  it.mask = it.check.constants(it.check.steps().total() * kPlaces);
  it.check.run_forward_once(it.body([&] { return it.dot(ProductForm::itself); }));
  for (int64_t k = 0; k < kDeep; ++k) {
    double context = 0.0;
    for (int64_t s = 0; s < kPlaces; ++s) {
      context += it.mask[s] * it.weights.values[s] * it.values.values[s * kDeep + k];
    }
    EXPECT_NEAR(it.context.values[k], context, 1e-14);
  }
}

// At step 0 the target position is 1. The first sentence is seen at positions 0 to 2; the others,
// which have one word, at position 0. At step 3 only the first sentence is left, seen at 3 to 5.
TEST(AttentionLoop, SeesAWindowThatMovesAlong) {
  AttentionCheck it;
  it.reach = 1;
  const auto energy = [&] { return it.dot(ProductForm::itself); };
  it.check.run_forward_once(it.body(energy));
  const auto seen = [&](int64_t row, int64_t s) {
    return it.weights.values[row * kPlaces + s] > 0.0;
  };
  for (int64_t s = 0; s < kPlaces; ++s) {
    EXPECT_EQ(seen(0, s), s <= 2) << s;
    EXPECT_EQ(seen(1, s), s == 0) << s;
    EXPECT_EQ(seen(10, s), s >= 3) << s;
  }
  it.expect_gradients(energy);
}

// c = 6 sigmoid(0) = 3 and D = 2, so that the deviation is 1.
TEST(AttentionLoop, SeesAWindowWhereItWasPredicted) {
  AttentionCheck it;
  it.reach = 2;
  it.place = it.check.given(1);
  std::fill_n(it.place.values, it.check.steps().total(), 0.0);
  const auto energy = [&] {
    return dot_energy<double>(it.read(), it.query, ProductForm::itself, {});
  };
  std::fill_n(it.query.values, kWide, 0.0);
  it.check.run_forward_once(it.body(energy));
  for (int64_t s = 0; s < kPlaces; ++s) {
    const auto distance = static_cast<double>(s - 3);
    const double expected = s < 1 ? 0.0 : std::exp(-distance * distance / 2) / 5;
    EXPECT_NEAR(it.weights.values[s], expected, 1e-14) << s;
  }
}

TEST(AttentionLoop, LearnsWhereToLook) {
  AttentionCheck it;
  it.reach = 2;
  it.place = it.check.given(1);
  it.expect_gradients([&] { return it.dot(ProductForm::itself); });
}

}  // namespace
}  // namespace attend::kernels
