// Compares each wiring with the equations of its paper, computed step by step from the model's
// parameters, which are found by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "model/recurrent/recurrent_state.h"
#include "tests/model/paper_equations.h"
#include "tests/model/small_models.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using nn::ScoreKind;
using test::Equations;
using test::mix;
using test::small_options;
using test::TensorNear;

constexpr double kTolerance = 1e-12;

/// Two sentences of equal length, and the previous words of three steps.
class Wirings : public testing::Test {
 protected:
  /// Decodes with a model of `options` and fills the members below.
  void decode(const ModelOptions& options) {
    model_ = test::small_model(options);
    encoded_ = model_->encode(test::sentences({{4, 9, 10, 3}, {7, 6, 5, 3}}));
    const auto target = test::sentences({{2, 5, 8}, {2, 7, 4}});
    decoded_ = model_->decode(encoded_, target);
    words_ = target.ids.unbind(1);
    memory_ = encoded_.memories.front().memory.values;
  }

  void expect_step(std::size_t t, const torch::Tensor& log_probs, const torch::Tensor& weights) {
    const auto step = static_cast<int64_t>(t);
    EXPECT_THAT(test::log_probs(*model_, decoded_).select(1, step),
                TensorNear(log_probs, kTolerance));
    if (weights.defined()) {
      EXPECT_THAT(decoded_.weights.select(1, step), TensorNear(weights, kTolerance));
    }
  }

  [[nodiscard]] std::vector<nn::CellState> first_layers() const {
    return encoded_.start.as<RecurrentState>().layers;
  }

  std::shared_ptr<Seq2Seq> model_;
  Encoded encoded_;
  Decoded decoded_;
  std::vector<torch::Tensor> words_;
  torch::Tensor memory_;
};

// Bahdanau et al. (2015), Sec. 3.1: alpha from s_{t-1}; s_t = f(s_{t-1}, y_{t-1}, c_t); maxout of
// s_t, y_{t-1}, c_t.
TEST_F(Wirings, BahdanauAttendsWithThePreviousState) {
  ModelOptions options = small_options(WiringKind::bahdanau, CellKind::gru);
  test::recurrent_decoder(options).readout = ReadoutKind::maxout;
  decode(options);
  const Equations paper(*model_);
  nn::CellState state = first_layers()[0];
  for (std::size_t t = 0; t < words_.size(); ++t) {
    const auto word = paper.word(words_[t]);
    const auto weights = paper.additive(state.hidden, memory_);
    const auto context = mix(weights, memory_);
    const auto input = paper.cell_input("decoder.stack.layer0", word) +
                       paper.affine("decoder.context_input", context);
    state = paper.gru("decoder.stack.layer0", input, state);
    const auto joined =
        paper.affine("decoder.readout.linear", at::cat({state.hidden, word, context}, 1));
    const auto maxout = at::maximum(joined.slice(1, 0, {}, 2), joined.slice(1, 1, {}, 2));
    expect_step(t, paper.log_probs(maxout), weights);
  }
}

TEST_F(Wirings, BahdanauQueriesWithTheTopOfTwoLayers) {
  ModelOptions options = small_options(WiringKind::bahdanau, CellKind::lstm);
  test::recurrent_decoder(options).layers = 2;
  decode(options);
  const Equations paper(*model_);
  std::vector<nn::CellState> state = first_layers();
  for (std::size_t t = 0; t < words_.size(); ++t) {
    const auto word = paper.word(words_[t]);
    const auto weights = paper.additive(state[1].hidden, memory_);
    const auto context = mix(weights, memory_);
    const auto input = paper.cell_input("decoder.stack.layer0", word) +
                       paper.affine("decoder.context_input", context);
    state[0] = paper.lstm("decoder.stack.layer0", input, state[0]);
    const auto upper = paper.cell_input("decoder.stack.layer1", state[0].hidden);
    state[1] = paper.lstm("decoder.stack.layer1", upper, state[1]);
    const auto joined =
        paper.affine("decoder.readout.linear", at::cat({state[1].hidden, word, context}, 1));
    expect_step(t, paper.log_probs(joined.tanh()), weights);
  }
}

// Luong et al. (2015), Eq. 5 and Sec. 3.3: h~_t = tanh(W_c [c_t; h_t]); h~_{t-1} is part of the
// input, zero in the first step.
TEST_F(Wirings, LuongAttendsWithTheCurrentStateAndFeedsTheAttentionalState) {
  ModelOptions options = small_options(WiringKind::luong, CellKind::lstm);
  options.attention.score = ScoreKind::general;
  decode(options);
  const Equations paper(*model_);
  nn::CellState state = first_layers()[0];
  auto fed = torch::zeros_like(state.hidden);
  for (std::size_t t = 0; t < words_.size(); ++t) {
    const auto input = paper.cell_input("decoder.stack.layer0", paper.word(words_[t])) +
                       paper.affine("decoder.feed", fed);
    state = paper.lstm("decoder.stack.layer0", input, state);
    const auto weights = paper.general(state.hidden, memory_);
    fed = paper.affine("decoder.combine", at::cat({mix(weights, memory_), state.hidden}, 1)).tanh();
    expect_step(t, paper.log_probs(fed), weights);
  }
}

TEST_F(Wirings, LuongWithoutInputFeedingKeepsTheAttentionOutOfTheState) {
  ModelOptions options = small_options(WiringKind::luong, CellKind::gru);
  test::recurrent_decoder(options).input_feeding = false;
  decode(options);
  const Equations paper(*model_);
  nn::CellState state = first_layers()[0];
  for (std::size_t t = 0; t < words_.size(); ++t) {
    state = paper.gru("decoder.stack.layer0",
                      paper.cell_input("decoder.stack.layer0", paper.word(words_[t])), state);
    const auto weights = paper.additive(state.hidden, memory_);
    const auto joined = at::cat({mix(weights, memory_), state.hidden}, 1);
    expect_step(t, paper.log_probs(paper.affine("decoder.combine", joined).tanh()), weights);
  }
}

// Sennrich et al. (2017), Sec. 2.1: s'_t = GRU_1(y_{t-1}, s_{t-1}); c_t from s'_t; s_t = GRU_2(c_t,
// s'_t).
TEST_F(Wirings, ConditionalAttendsBetweenItsTwoHalfSteps) {
  decode(small_options(WiringKind::conditional, CellKind::gru));
  const Equations paper(*model_);
  nn::CellState state = first_layers()[0];
  for (std::size_t t = 0; t < words_.size(); ++t) {
    const auto word = paper.word(words_[t]);
    const auto half = paper.gru("decoder.first", paper.cell_input("decoder.first", word), state);
    const auto weights = paper.additive(half.hidden, memory_);
    const auto context = mix(weights, memory_);
    state = paper.gru("decoder.second", paper.cell_input("decoder.second", context), half);
    const auto joined =
        paper.affine("decoder.readout.linear", at::cat({state.hidden, word, context}, 1));
    expect_step(t, paper.log_probs(joined.tanh()), weights);
  }
}

// o_0 = s, o_1 = h_1(o_0) + o_0, o_2 = h_2(o_1) + o_1: each layer reads and adds the sum below it.
TEST_F(Wirings, ConditionalAddsResidualsLayerByLayer) {
  ModelOptions options = small_options(WiringKind::conditional, CellKind::gru);
  test::recurrent_decoder(options).layers = 3;
  test::recurrent_decoder(options).residual = true;
  decode(options);
  const Equations paper(*model_);
  std::vector<nn::CellState> state = first_layers();
  for (std::size_t t = 0; t < words_.size(); ++t) {
    const auto word = paper.word(words_[t]);
    const auto half = paper.gru("decoder.first", paper.cell_input("decoder.first", word), state[0]);
    const auto weights = paper.additive(half.hidden, memory_);
    const auto context = mix(weights, memory_);
    state[0] = paper.gru("decoder.second", paper.cell_input("decoder.second", context), half);
    auto top = state[0].hidden;
    for (std::size_t i = 1; i < 3; ++i) {
      const std::string layer = "decoder.upper.layer" + std::to_string(i - 1);
      state[i] = paper.gru(layer, paper.cell_input(layer, top), state[i]);
      top = top + state[i].hidden;
    }
    const auto joined = paper.affine("decoder.readout.linear", at::cat({top, word, context}, 1));
    expect_step(t, paper.log_probs(joined.tanh()), weights);
  }
}

TEST_F(Wirings, ResidualsOfAStackBeginAtItsSecondLayer) {
  ModelOptions options = small_options(WiringKind::none, CellKind::lstm);
  test::recurrent_decoder(options).layers = 3;
  test::recurrent_decoder(options).residual = true;
  decode(options);
  const Equations paper(*model_);
  std::vector<nn::CellState> state = first_layers();
  for (std::size_t t = 0; t < words_.size(); ++t) {
    torch::Tensor top = paper.word(words_[t]);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string layer = "decoder.stack.layer" + std::to_string(i);
      state[i] = paper.lstm(layer, paper.cell_input(layer, top), state[i]);
      top = i == 0 ? state[i].hidden : top + state[i].hidden;
    }
    expect_step(t, paper.log_probs(top), {});
  }
}

// Sukhbaatar et al. (2015), Eq. 3, a = softmax(W (o + u)), plus a recurrent part that depends on
// the position in the answer. The third source ends a step before the others.
TEST_F(Wirings, AnswerAddsWhatTheSourceHasAtItsEndToEveryState) {
  for (const CellKind cell : {CellKind::gru, CellKind::lstm}) {
    SCOPED_TRACE(enum_name(cell));
    model_ = test::small_model(small_options(WiringKind::answer, cell));
    encoded_ = model_->encode(test::sentences({{4, 9, 10, 3}, {7, 6, 5, 3}, {8, 4, 3}}));
    const auto target = test::sentences({{2, 5, 8}, {2, 7, 4}, {2, 6, 6}});
    decoded_ = model_->decode(encoded_, target);
    const torch::Tensor memory = encoded_.memories.front().memory.values;
    const Equations paper(*model_);
    const torch::Tensor answer =
        paper.affine("decoder.answer", at::stack({memory[0][3], memory[1][3], memory[2][2]}));
    nn::CellState state = first_layers()[0];
    for (std::size_t t = 0; t < 3; ++t) {
      const torch::Tensor word = paper.word(target.ids.select(1, static_cast<int64_t>(t)));
      const auto input = paper.cell_input("decoder.stack.layer0", word);
      state = cell == CellKind::gru ? paper.gru("decoder.stack.layer0", input, state)
                                    : paper.lstm("decoder.stack.layer0", input, state);
      expect_step(t, paper.log_probs(state.hidden + answer), {});
    }
  }
}

TEST_F(Wirings, NoneSeesNothingOfTheMemoryButTheFirstState) {
  decode(small_options(WiringKind::none, CellKind::lstm));
  Encoded other = encoded_;
  other.memories.front().memory.values = -encoded_.memories.front().memory.values;
  other.memories.front().memory.keys = -encoded_.memories.front().memory.keys;
  const auto step = model_->step(words_[0], other.memories, other.start);
  EXPECT_THAT(step.logits,
              test::TensorEq(model_->step(words_[0], encoded_.memories, encoded_.start).logits));
  EXPECT_FALSE(step.weights.defined());
}

}  // namespace
}  // namespace attend::model
