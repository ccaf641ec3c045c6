// Coattention of two sources: each kind by hand, and against a second implementation.
#include "model/sources/coattention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>

#include "model/registry.h"
#include "model/sources/alternating_coattention.h"
#include "model/sources/bidirectional_coattention.h"
#include "model/sources/dynamic_coattention.h"
#include "model/sources/parallel_coattention.h"
#include "tests/model/paper_equations.h"
#include "tests/model/small_models.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using test::f64;
using test::sentences;
using test::set_parameter;
using test::TensorEq;
using test::TensorNear;

const double kLn3 = std::log(3.0);

/// A source of one-dimensional positions in a batch of its own.
EncoderOutput line_of(const std::vector<double>& values) {
  const auto steps = static_cast<int64_t>(values.size());
  const auto lengths = torch::tensor({steps}, torch::kInt64);
  return {f64(values, {1, steps, 1}), lengths, test::mask_of(lengths, steps)};
}

torch::Tensor one_row(const std::vector<double>& values) {
  return f64(values, {1, 1, static_cast<int64_t>(values.size())});
}

template <class Kind>
std::shared_ptr<Kind> block_of_one() {
  ModelOptions options;
  const auto block = std::make_shared<Kind>(options, /*size=*/1);
  block->to(torch::kFloat64);
  return block;
}

void set_number(const torch::nn::Module& block, const std::string& name, double value) {
  set_parameter(block, name, f64({value}, test::parameter(block, name).sizes()));
}

// With q = (1, 0), v = (0, ln 3 / 2) and W_b = 1 the affinity has tanh(ln 3 / 2) = 1/2 at (0, 1)
// alone. W_q = 3/4 ln 3 and W_v = 1 give
//   H^q = tanh(3/4 ln 3 + 1/2 * ln 3 / 2) = tanh(ln 3) = 4/5, and 0;
//   H^v = 0, and tanh(ln 3 / 2 + 1/2 * 3/4 ln 3) = tanh(7/8 ln 3).
// The energies make that ln 3 and 0, and 0 and ln 3: weights of 3/4 and 1/4, 1/4 and 3/4.
TEST(ParallelCoattention, EqualsLuEquations3To5And7ByHand) {
  const auto block = block_of_one<ParallelCoattention>();
  set_number(*block, "affinity.weight", 1);
  set_number(*block, "first.weight", 0.75 * kLn3);
  set_number(*block, "second.weight", 1);
  set_number(*block, "first_energy.weight", kLn3 / 0.8);
  set_number(*block, "second_energy.weight", kLn3 / std::tanh(0.875 * kLn3));
  set_number(*block, "together.weight", 2);
  const EncoderOutput q = line_of({1, 0}), v = line_of({0, kLn3 / 2});
  const auto pooled = block->pool(q, v);
  EXPECT_THAT(pooled.first, TensorNear(f64({0.75}, {1, 1}), 1e-12));
  EXPECT_THAT(pooled.second, TensorNear(f64({0.375 * kLn3}, {1, 1}), 1e-12));
  EXPECT_THAT(pooled.weight_maps.at(0)[0][0], TensorNear(one_row({0.75, 0.25}), 1e-12));
  EXPECT_THAT(pooled.weight_maps.at(0)[1][1], TensorNear(one_row({0.25, 0.75}), 1e-12));

  const Coattended read = block->forward(q, v);
  const double both = std::tanh(2 * (0.75 + 0.375 * kLn3));
  EXPECT_THAT(read.sources[0].outputs, TensorNear(f64({1 + both, both}, {1, 2, 1}), 1e-12));
  EXPECT_THAT(read.sources[1].outputs, TensorNear(f64({both, kLn3 / 2 + both}, {1, 2, 1}), 1e-12));
  EXPECT_THAT(read.sources[0].summary.back().hidden, TensorEq(pooled.first));
  EXPECT_THAT(read.sources[1].summary.back().hidden, TensorEq(pooled.second));
}

// tanh(ln 3 / 2) = 1/2 and tanh(ln 3) = 4/5. First q = (0, ln 3 / 2) without a guide: H = (0, 1/2),
// w = 2 ln 3, weights 1/4 and 3/4, s^ = 3/8 ln 3. Then v = (0, ln 3 / 2) with W_g s^ = 4/3 s^ =
// ln 3 / 2: H = (1/2, 4/5), w = ln 3 / 0.3, weights 1/4 and 3/4, v^ = 3/8 ln 3. Then q with W_x =
// -1 and the same guide: H = (1/2, 0), w = 2 ln 3, weights 3/4 and 1/4, q^ = ln 3 / 8.
TEST(AlternatingCoattention, EqualsLuEquation6ByHand) {
  const auto block = block_of_one<AlternatingCoattention>();
  set_number(*block, "begin.state.weight", 1);
  set_number(*block, "begin.energy.weight", 2 * kLn3);
  set_number(*block, "second.state.weight", 1);
  set_number(*block, "second.guide.weight", 4.0 / 3);
  set_number(*block, "second.energy.weight", kLn3 / 0.3);
  set_number(*block, "first.state.weight", -1);
  set_number(*block, "first.guide.weight", 4.0 / 3);
  set_number(*block, "first.energy.weight", 2 * kLn3);
  set_number(*block, "together.weight", 1);
  const auto pooled = block->pool(line_of({0, kLn3 / 2}), line_of({0, kLn3 / 2}));
  EXPECT_THAT(pooled.first, TensorNear(f64({kLn3 / 8}, {1, 1}), 1e-12));
  EXPECT_THAT(pooled.second, TensorNear(f64({0.375 * kLn3}, {1, 1}), 1e-12));
  ASSERT_EQ(pooled.weight_maps.size(), 3U);
  for (const std::size_t k : {0U, 1U}) {
    EXPECT_THAT(pooled.weight_maps[0][k][0], TensorNear(one_row({0.25, 0.75}), 1e-12));
    EXPECT_THAT(pooled.weight_maps[1][k][1], TensorNear(one_row({0.25, 0.75}), 1e-12));
    EXPECT_THAT(pooled.weight_maps[2][k][0], TensorNear(one_row({0.75, 0.25}), 1e-12));
  }
}

// Sentinels of 0; q' = atanh 1/2 becomes 1/2, and d = 2 ln 3. L is ln 3 for these two and 0 for a
// sentinel, so that q and d give the other 3/4 and its sentinel 1/4, and sentinels 1/2 each.
// C^Q of q is 3/2 ln 3, of the sentinel ln 3; C^D of d is (3/8, 1/4 ln 3 + 3/4 * 3/2 ln 3). With
// the roles exchanged d finds 3/8 and its sentinel 1/4, so q has (3/2 ln 3, 1/4 * 1/4 + 3/4 * 3/8).
TEST(DynamicCoattention, EqualsXiongSection22ByHand) {
  const auto block = block_of_one<DynamicCoattention>();
  set_number(*block, "question.weight", 1);
  set_number(*block, "question.bias", 0);
  set_number(*block, "first_sentinel", 0);
  set_number(*block, "second_sentinel", 0);
  const auto compared = block->compare(line_of({std::atanh(0.5)}), line_of({2 * kLn3}));
  EXPECT_THAT(compared.first, TensorNear(one_row({0.5, 1.5 * kLn3, 11.0 / 32}), 1e-12));
  EXPECT_THAT(compared.second, TensorNear(one_row({2 * kLn3, 0.375, 1.375 * kLn3}), 1e-12));
  EXPECT_THAT(compared.weight_maps.at(0)[0][1], TensorNear(one_row({0.75}), 1e-12));
  EXPECT_THAT(compared.weight_maps.at(0)[1][0], TensorNear(one_row({0.75}), 1e-12));
}

// u = (1, -1), h = (0, ln 3), S = ln 3 u + h + u h, which is (ln 3, 3 ln 3) for u_1 and (-ln 3, -ln
// 3) for u_2. Over h: u_1 has 1/10 and 9/10, u_2 halves. Over u: h_1 has 9/10 and 1/10, h_2 81/82
// and 1/82. Maxima: of h (ln 3, 3 ln 3), so 1/10 and 9/10; of u (3 ln 3, -ln 3), so 81/82 and 1/82.
TEST(BidirectionalCoattention, EqualsSeoEquations1And2ByHand) {
  const auto block = block_of_one<BidirectionalCoattention>();
  set_number(*block, "first.weight", kLn3);
  set_number(*block, "second.weight", 1);
  set_number(*block, "product.weight", 1);
  const auto compared = block->compare(line_of({1, -1}), line_of({0, kLn3}));
  const double h = kLn3, u_sum = 80.0 / 82, h_sum = 0.9 * kLn3;
  EXPECT_THAT(compared.second,
              TensorNear(f64({0, 0.8, 0, 0, h, u_sum, h * u_sum, h * h_sum}, {1, 2, 4}), 1e-12));
  EXPECT_THAT(
      compared.first,
      TensorNear(f64({1, 0.9 * h, 0.9 * h, u_sum, -1, 0.5 * h, -0.5 * h, -u_sum}, {1, 2, 4}),
                 1e-12));
  ASSERT_EQ(compared.weight_maps.size(), 2U);
  EXPECT_THAT(compared.weight_maps[0][0][1],
              TensorNear(f64({0.1, 0.9, 0.5, 0.5}, {1, 2, 2}), 1e-12));
  EXPECT_THAT(compared.weight_maps[0][1][0],
              TensorNear(f64({0.9, 0.1, 81.0 / 82, 1.0 / 82}, {1, 2, 2}), 1e-12));
  EXPECT_THAT(compared.weight_maps[1][0][0], TensorNear(one_row({81.0 / 82, 1.0 / 82}), 1e-12));
  EXPECT_THAT(compared.weight_maps[1][1][1], TensorNear(one_row({0.1, 0.9}), 1e-12));
}

using Vectors = std::vector<torch::Tensor>;  // [C] each
using Numbers = std::vector<double>;

/// Recomputes one example position by position from the papers' equations.
class PlainCoattention : public test::Equations {
 public:
  struct Source {
    torch::Tensor states;        // [S, D]
    torch::Tensor hidden, cell;  // [D]
  };
  struct Result {
    std::vector<Source> sources;
    std::vector<torch::Tensor> maps;  // [S_1 + S_2, S_1 + S_2] by layer
  };

  using Equations::Equations;

  [[nodiscard]] Result read(CoattentionKind kind, const Vectors& q, const Vectors& v) const {
    if (kind == CoattentionKind::parallel) return parallel(q, v);
    if (kind == CoattentionKind::alternating) return alternating(q, v);
    if (kind == CoattentionKind::dynamic) return dynamic(q, v);
    return bidirectional(q, v);
  }

 private:
  [[nodiscard]] torch::Tensor own(const std::string& name) const {
    return at("encoder.coattention." + name);
  }
  [[nodiscard]] torch::Tensor times(const std::string& block, const torch::Tensor& x) const {
    return torch::mv(own(block + ".weight"), x);
  }
  [[nodiscard]] double energy(const std::string& block, const torch::Tensor& x) const {
    return times(block, x).item<double>();
  }
  static Numbers softmax(const Numbers& energies) {
    Numbers weights;
    double sum = 0;
    for (const double e : energies) sum += std::exp(e);
    for (const double e : energies) weights.push_back(std::exp(e) / sum);
    return weights;
  }
  static torch::Tensor mix(const Numbers& weights, const Vectors& vectors) {
    torch::Tensor sum = torch::zeros_like(vectors.front());
    for (std::size_t i = 0; i < vectors.size(); ++i) sum = sum + weights[i] * vectors[i];
    return sum;
  }
  static torch::Tensor map_of(const Vectors& q, const Vectors& v) {
    const auto size = static_cast<int64_t>(q.size() + v.size());
    return torch::zeros({size, size}, torch::kFloat64);
  }
  /// Weights of one row, starting at column `begin`.
  static void put(torch::Tensor& map, std::size_t at_row, std::size_t begin,
                  const Numbers& weights) {
    for (std::size_t i = 0; i < weights.size(); ++i)
      map[static_cast<int64_t>(at_row)][static_cast<int64_t>(begin + i)] = weights[i];
  }

  [[nodiscard]] Result summed(const Vectors& q, const Vectors& v, const torch::Tensor& q_sum,
                              const torch::Tensor& v_sum) const {
    const torch::Tensor both = times("together", q_sum + v_sum).tanh();
    const auto source = [&](const Vectors& states, const torch::Tensor& sum) {
      return Source{torch::stack(states) + both, sum, {}};
    };
    return {{source(q, q_sum), source(v, v_sum)}, {}};
  }

  [[nodiscard]] Result parallel(const Vectors& q, const Vectors& v) const {
    const auto affinity = [&](std::size_t t, std::size_t n) {
      return torch::dot(q[t], times("affinity", v[n])).tanh().item<double>();
    };
    Numbers q_energies, v_energies;
    for (std::size_t t = 0; t < q.size(); ++t) {
      torch::Tensor inner = times("first", q[t]);
      for (std::size_t n = 0; n < v.size(); ++n)
        inner = inner + affinity(t, n) * times("second", v[n]);
      q_energies.push_back(energy("first_energy", inner.tanh()));
    }
    for (std::size_t n = 0; n < v.size(); ++n) {
      torch::Tensor inner = times("second", v[n]);
      for (std::size_t t = 0; t < q.size(); ++t)
        inner = inner + affinity(t, n) * times("first", q[t]);
      v_energies.push_back(energy("second_energy", inner.tanh()));
    }
    const Numbers at_q = softmax(q_energies), at_v = softmax(v_energies);
    Result result = summed(q, v, mix(at_q, q), mix(at_v, v));
    torch::Tensor map = map_of(q, v);
    for (std::size_t i = 0; i < q.size() + v.size(); ++i)
      put(map, i, i < q.size() ? 0 : q.size(), i < q.size() ? at_q : at_v);
    result.maps = {map};
    return result;
  }

  [[nodiscard]] Numbers guided(const std::string& step, const Vectors& x,
                               const torch::Tensor& guide) const {
    Numbers energies;
    for (const torch::Tensor& state : x) {
      torch::Tensor inner = times(step + ".state", state);
      if (guide.defined()) inner = inner + times(step + ".guide", guide);
      energies.push_back(energy(step + ".energy", inner.tanh()));
    }
    return softmax(energies);
  }

  [[nodiscard]] Result alternating(const Vectors& q, const Vectors& v) const {
    const Numbers begun = guided("begin", q, {});
    const Numbers at_v = guided("second", v, mix(begun, q));
    const Numbers at_q = guided("first", q, mix(at_v, v));
    Result result = summed(q, v, mix(at_q, q), mix(at_v, v));
    for (const Numbers& weights : {begun, at_v, at_q}) {
      torch::Tensor map = map_of(q, v);
      const bool of_v = result.maps.size() == 1;
      for (std::size_t i = 0; i < q.size() + v.size(); ++i)
        put(map, i, of_v ? q.size() : 0, weights);
      result.maps.push_back(map);
    }
    return result;
  }

  /// The LSTM over vectors in both directions.
  [[nodiscard]] Source both_ways(const std::string& reader, const Vectors& x) const {
    Vectors halves, last, cells;
    for (const bool back : {false, true}) {
      const std::string block =
          "encoder.coattention." + reader + (back ? ".layer0_backward" : ".layer0_forward");
      const int64_t hidden = at(block + ".recurrent_weight").size(1);
      const auto nothing = torch::zeros({1, hidden}, torch::kFloat64);
      nn::CellState state{nothing, nothing};
      Vectors states(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t place = back ? x.size() - 1 - i : i;
        state = lstm(block, cell_input(block, x[place].unsqueeze(0)), state);
        states[place] = state.hidden[0];
      }
      halves.push_back(torch::stack(states));
      last.push_back(state.hidden[0]);
      cells.push_back(state.cell[0]);
    }
    return {at::cat(halves, 1), at::cat(last), at::cat(cells)};
  }

  [[nodiscard]] Result dynamic(const Vectors& first, const Vectors& second) const {
    Vectors q{own("first_sentinel")}, d{own("second_sentinel")};
    q.insert(q.end(), first.begin(), first.end());
    d.insert(d.end(), second.begin(), second.end());
    for (torch::Tensor& x : q) x = (times("question", x) + own("question.bias")).tanh();
    std::vector<Numbers> at_d, at_q;
    for (const torch::Tensor& x : q) {
      Numbers energies;
      for (const torch::Tensor& y : d) energies.push_back(torch::dot(x, y).item<double>());
      at_d.push_back(softmax(energies));
    }
    for (const torch::Tensor& y : d) {
      Numbers energies;
      for (const torch::Tensor& x : q) energies.push_back(torch::dot(x, y).item<double>());
      at_q.push_back(softmax(energies));
    }
    Vectors q_found, d_found;
    for (std::size_t t = 0; t < q.size(); ++t) q_found.push_back(mix(at_d[t], d));
    for (std::size_t n = 0; n < d.size(); ++n) d_found.push_back(mix(at_q[n], q));
    Vectors q_read, d_read;
    torch::Tensor map = map_of(first, second);
    for (std::size_t t = 1; t < q.size(); ++t) {
      q_read.push_back(at::cat({q[t], mix(at_d[t], d), mix(at_d[t], d_found)}));
      put(map, t - 1, first.size(), {at_d[t].begin() + 1, at_d[t].end()});
    }
    for (std::size_t n = 1; n < d.size(); ++n) {
      d_read.push_back(at::cat({d[n], mix(at_q[n], q), mix(at_q[n], q_found)}));
      put(map, first.size() + n - 1, 0, {at_q[n].begin() + 1, at_q[n].end()});
    }
    return {{both_ways("first_reader", q_read), both_ways("second_reader", d_read)}, {map}};
  }

  [[nodiscard]] Result bidirectional(const Vectors& u, const Vectors& h) const {
    const auto similarity = [&](std::size_t n, std::size_t t) {
      const torch::Tensor w =
          at::cat({own("second.weight")[0], own("first.weight")[0], own("product.weight")[0]});
      return torch::dot(w, at::cat({h[n], u[t], h[n] * u[t]})).item<double>();
    };
    torch::Tensor across = map_of(u, h), within = map_of(u, h);
    const auto flow = [&](const Vectors& x, const Vectors& other, bool is_context) {
      std::vector<Numbers> weight_maps;
      Numbers best;
      for (std::size_t i = 0; i < x.size(); ++i) {
        Numbers energies;
        for (std::size_t j = 0; j < other.size(); ++j)
          energies.push_back(is_context ? similarity(i, j) : similarity(j, i));
        best.push_back(*std::max_element(energies.begin(), energies.end()));
        weight_maps.push_back(softmax(energies));
      }
      const std::size_t begin = is_context ? u.size() : 0;
      Vectors read;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const torch::Tensor found = mix(weight_maps[i], other), most = mix(softmax(best), x);
        read.push_back(at::cat({x[i], found, x[i] * found, x[i] * most}));
        put(across, begin + i, u.size() - begin, weight_maps[i]);
        put(within, begin + i, begin, softmax(best));
      }
      return read;
    };
    const Vectors read_u = flow(u, h, false), read_h = flow(h, u, true);
    return {{both_ways("first_reader", read_u), both_ways("second_reader", read_h)},
            {across, within}};
  }
};

ModelOptions coattention_options(CoattentionKind kind, bool share = false) {
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::lstm);
  options.sources.count = 2;
  options.sources.share_encoder = share;
  options.sources.coattention = kind;
  return options;
}

class CoattentionOf : public testing::TestWithParam<CoattentionKind> {
 protected:
  /// Sources of 5 and 3 positions, of 2 and 3, and of 1 each; zero on padding.
  static EncoderOutput source(const torch::Tensor& states, const std::vector<int64_t>& lengths) {
    const auto real = torch::tensor(lengths, torch::kInt64);
    const torch::Tensor mask = test::mask_of(real, states.size(1));
    return {states * mask.unsqueeze(2), real, mask};
  }
  static EncoderOutput first(const torch::Tensor& states) { return source(states, {5, 2, 1}); }
  static EncoderOutput second(const torch::Tensor& states) { return source(states, {3, 3, 1}); }
  [[nodiscard]] std::shared_ptr<Coattention> block(const DropoutOptions& dropout = {}) const {
    ModelOptions options = coattention_options(GetParam());
    options.dropout = dropout;
    const auto made = make_coattention(options, /*size=*/6);
    test::randomize(*made, 3);
    made->eval();
    return made;
  }

  torch::Tensor first_states_ = test::random_f64({3, 5, 6}, 1);
  torch::Tensor second_states_ = test::random_f64({3, 3, 6}, 2);
};

// Sources of several words, and examples in which one source or both have only the end symbol.
TEST_P(CoattentionOf, EqualsTheEquationsPositionByPosition) {
  const std::vector<std::vector<std::vector<text::TokenId>>> examples{
      {{4, 9, 3}, {10, 5, 6, 3}}, {{3}, {6, 7, 3}}, {{7, 8, 5, 3}, {3}}, {{3}, {3}}};
  std::vector<std::vector<text::TokenId>> lines;
  for (const auto& example : examples) {
    lines.push_back(example[0]);
    lines.back().insert(lines.back().end(), example[1].begin(), example[1].end());
  }
  const auto model = test::small_model(coattention_options(GetParam()));
  const auto children = model->named_children();
  const auto& encoder = dynamic_cast<const Encoder&>(*children["encoder"]);
  const PlainCoattention paper(*model);
  const data::SentenceBatch source = sentences(lines);
  const torch::Tensor embedded = model->embed_source(source);
  const TracedEncoding traced = encoder.trace(embedded, source);
  ASSERT_EQ(encoder.self_attention_heads().size(), traced.self.size());
  for (std::size_t line = 0; line < examples.size(); ++line) {
    const auto at_line = static_cast<int64_t>(line);
    std::vector<Vectors> states;
    int64_t begin = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      const data::SentenceBatch alone = sentences({examples[line][k]});
      const auto& reader =
          dynamic_cast<const Encoder&>(*encoder.named_children()[k == 0 ? "source1" : "source2"]);
      const int64_t length = alone.ids.size(1);
      const torch::Tensor x = embedded[at_line].narrow(0, begin, length).unsqueeze(0);
      states.push_back(reader.encode(x, alone).front().outputs[0].unbind(0));
      begin += length;
    }
    const auto expected = paper.read(GetParam(), states[0], states[1]);
    const PlainCoattention::Source &one = expected.sources[0], &other = expected.sources[1];
    EXPECT_THAT(traced.outputs[0].outputs[at_line].narrow(0, 0, begin),
                TensorNear(at::cat({one.states, other.states}), 1e-12));
    EXPECT_THAT(traced.outputs[1].outputs[at_line][0],
                TensorNear(at::cat({one.states.mean(0), other.states.mean(0)}), 1e-12));
    const nn::CellState& summary = traced.outputs[1].summary.back();
    EXPECT_THAT(summary.hidden[at_line], TensorNear(at::cat({one.hidden, other.hidden}), 1e-12));
    ASSERT_EQ(summary.cell.defined(), one.cell.defined());
    if (one.cell.defined()) {
      EXPECT_THAT(summary.cell[at_line], TensorNear(at::cat({one.cell, other.cell}), 1e-12));
    }
    ASSERT_EQ(traced.self.size(), expected.maps.size());
    for (std::size_t layer = 0; layer < expected.maps.size(); ++layer) {
      const torch::Tensor map = traced.self[layer][at_line][0];
      EXPECT_THAT(map.slice(0, 0, begin).slice(1, 0, begin),
                  TensorNear(expected.maps[layer], 1e-12));
      EXPECT_EQ(map.slice(1, begin).abs().sum().item<double>(), 0.0);
    }
  }
}

TEST_P(CoattentionOf, GradientsMatchCentralDifferences) {
  const auto made = block();
  const auto function = [&] {
    const Coattended read = made->forward(first(first_states_), second(second_states_));
    std::vector<torch::Tensor> all;
    for (const EncoderOutput& one : read.sources) {
      all.push_back(one.outputs.flatten());
      all.push_back(one.summary.back().hidden.flatten());
    }
    return at::cat(all);
  };
  const auto leaves = test::leaves(*made, {first_states_, second_states_});
  EXPECT_LT(test::max_gradient_error(function, leaves), 1e-6);
}

TEST_P(CoattentionOf, GivesPaddingNoWeightAndNothingElse) {
  const auto made = block();
  const EncoderOutput q = first(first_states_), v = second(second_states_);
  const Coattended read = made->forward(q, v);
  const std::vector<torch::Tensor> masks{q.mask, v.mask};
  ASSERT_EQ(read.weight_maps.size(), made->layers());
  for (const SideTable& map : read.weight_maps) {
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t l = 0; l < 2; ++l) {
        if (!map[k][l].defined()) continue;
        EXPECT_EQ((map[k][l] * masks[l].logical_not().unsqueeze(1)).abs().sum().item<double>(), 0);
      }
    }
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const torch::Tensor& outputs = read.sources[k].outputs;
    EXPECT_THAT(outputs.sizes(), testing::ElementsAre(3, masks[k].size(1), made->output_size()));
    EXPECT_EQ((outputs * masks[k].logical_not().unsqueeze(2)).abs().sum().item<double>(), 0);
  }
}

TEST_P(CoattentionOf, DropsWeightsInTrainingAlone) {
  torch::manual_seed(4);
  DropoutOptions dropout;
  dropout.attention = 0.5;
  const auto made = block(dropout);
  const auto run = [&] {
    return made->forward(first(first_states_), second(second_states_)).sources[0].outputs;
  };
  EXPECT_THAT(run(), TensorEq(run()));
  made->train();
  EXPECT_FALSE(torch::allclose(run(), run()));
}

// Uses one or two encoders. The decoder does not start from the encoders' last states.
TEST_P(CoattentionOf, HasASummaryWhateverReadsTheSources) {
  for (const EncoderOptions& type :
       {EncoderOptions(RecurrentEncoderOptions()), EncoderOptions(TransformerEncoderOptions())}) {
    ModelOptions options = test::transformer_options(type, RecurrentDecoderOptions());
    options.sources = coattention_options(GetParam(), /*share=*/true).sources;
    options.attention.heads = 1;
    const auto shapes = make_encoder(options)->shapes();
    ASSERT_EQ(shapes.size(), 2U);
    EXPECT_TRUE(shapes[1].has_summary) << type_name(type);
    EXPECT_EQ(shapes[1].size, 2 * shapes[0].size);
    EXPECT_EQ(shapes[0].sources, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, CoattentionOf,
                         testing::Values(CoattentionKind::parallel, CoattentionKind::alternating,
                                         CoattentionKind::dynamic, CoattentionKind::bidirectional),
                         [](const auto& test_case) {
                           return std::string(enum_name(test_case.param));
                         });

class CoarseOf : public CoattentionOf {};

TEST_P(CoarseOf, SumsNothingUpAsZeros) {
  const auto made = std::dynamic_pointer_cast<CoarseCoattention>(block());
  EncoderOutput q = first(first_states_);
  q.mask[2] = false;
  q.outputs = q.outputs * q.mask.unsqueeze(2);
  const auto pooled = made->pool(q, second(second_states_));
  EXPECT_THAT(pooled.first[2], TensorEq(torch::zeros({6}, torch::kFloat64)));
  EXPECT_THAT(pooled.weight_maps.back()[0][0][2], TensorEq(torch::zeros({1, 5}, torch::kFloat64)));
  EXPECT_TRUE(pooled.second.isfinite().all().item<bool>());
}

TEST_P(CoarseOf, DropsWhatIsAddedInTraining) {
  torch::manual_seed(4);
  DropoutOptions dropout;
  dropout.layer = 0.5;
  const auto made = block(dropout);
  made->train();
  const auto run = [&] {
    return made->forward(first(first_states_), second(second_states_)).sources[1].outputs;
  };
  EXPECT_FALSE(torch::allclose(run(), run()));
}

INSTANTIATE_TEST_SUITE_P(Kinds, CoarseOf,
                         testing::Values(CoattentionKind::parallel, CoattentionKind::alternating),
                         [](const auto& test_case) {
                           return std::string(enum_name(test_case.param));
                         });

TEST(ParallelCoattention, HasTheInnerSizeOfTheAttentionOrItsOwn) {
  ModelOptions options = coattention_options(CoattentionKind::parallel);  // attention.size: 7
  const auto inner = [&] {
    return test::parameter(ParallelCoattention(options, 6), "first_energy.weight").size(1);
  };
  EXPECT_EQ(inner(), 7);
  options.attention.size = 0;
  EXPECT_EQ(inner(), 6);
}

// S is -ln 3 and -2 ln 3 for the word; for the padding after it, S would be 0.
TEST(BidirectionalCoattention, TakesNoPaddingForTheBestMatch) {
  const auto block = block_of_one<BidirectionalCoattention>();
  set_number(*block, "first.weight", 0);
  set_number(*block, "second.weight", 0);
  set_number(*block, "product.weight", 1);
  EncoderOutput u = line_of({1, 0});
  u.lengths.fill_(1);
  u.mask[0][1] = false;
  const auto compared = block->compare(u, line_of({-kLn3, -2 * kLn3}));
  EXPECT_THAT(compared.weight_maps.at(1)[1][1], TensorNear(one_row({0.75, 0.25}), 1e-12));
}

class FineOf : public CoattentionOf {};

TEST_P(FineOf, DropsOutputsAndStatesOfItsReaders) {
  torch::manual_seed(4);
  for (double DropoutOptions::*const where : {&DropoutOptions::layer, &DropoutOptions::recurrent}) {
    DropoutOptions dropout;
    dropout.*where = 0.5;
    const auto made = block(dropout);
    made->train();
    for (const std::size_t k : {0U, 1U}) {
      const auto run = [&] {
        return made->forward(first(first_states_), second(second_states_)).sources[k].outputs;
      };
      EXPECT_FALSE(torch::allclose(run(), run())) << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FineOf,
                         testing::Values(CoattentionKind::dynamic, CoattentionKind::bidirectional),
                         [](const auto& test_case) {
                           return std::string(enum_name(test_case.param));
                         });

TEST(FineCoattention, RoundsAnOddSizeUp) {
  EXPECT_EQ(make_coattention(coattention_options(CoattentionKind::dynamic), 5)->output_size(), 6);
  EXPECT_EQ(make_coattention(coattention_options(CoattentionKind::bidirectional), 6)->output_size(),
            6);
}

// The sentinels are parameters of the coattention itself, so it must initialise them.
TEST(DynamicCoattention, BeginsWithSentinelsOfItsSeed) {
  const auto sentinel = [](uint64_t seed) {
    const auto model = test::small_model(coattention_options(CoattentionKind::dynamic));
    initialize(*model, seed);
    return at::cat({test::parameter(*model, "encoder.coattention.first_sentinel"),
                    test::parameter(*model, "encoder.coattention.second_sentinel")});
  };
  EXPECT_THAT(sentinel(1), TensorEq(sentinel(1)));
  EXPECT_GT((sentinel(1) - sentinel(2)).abs().min().item<double>(), 0.0);
}

TEST(Coattention, IsNoneUnlessItIsAskedFor) {
  EXPECT_EQ(make_coattention(coattention_options(CoattentionKind::none), 6), nullptr);
}

}  // namespace
}  // namespace attend::model
