// Words in segments of a line: Yang et al. (2016), and a decoder's attention on both levels.
#include "model/hierarchical/hierarchical_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "core/error.h"
#include "tests/model/paper_equations.h"
#include "tests/model/small_models.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using test::parameter;
using test::sentences;
using test::TensorEq;
using test::TensorNear;

constexpr text::TokenId kBar = 9, kBlankPiece = 8;

ModelOptions hierarchical_options() {
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::gru);
  options.encoder = HierarchicalEncoderOptions{test::recurrent_encoder(options), kBar, kBlankPiece};
  return options;
}

torch::Tensor numbers_of(const std::vector<int64_t>& values, torch::IntArrayRef sizes) {
  return torch::tensor(values, torch::kInt64).view(sizes);
}

using PieceIds = std::vector<text::TokenId>;

// Lines: a b | c | d </s>; | a </s>, whose first segment is empty and therefore skipped; a | _ |
// </s>, in which a blank is not a word and the last segment exists without words; </s>.
TEST(SegmentLayout, FindsSegmentsByHand) {
  const SegmentLayout layout(sentences({{4, 5, 9, 6, 9, 7, 3}, {9, 4, 3}, {4, 9, 8, 9, 3}, {3}}),
                             {kBar, kBlankPiece});
  EXPECT_THAT(layout.counts, TensorEq(numbers_of({3, 1, 2, 1}, {4})));
  EXPECT_THAT(layout.group,
              TensorEq(numbers_of({0, 0, 0,  1,  1, 2,  2,  -1, 0,  0,  -1, -1, -1, -1,
                                   0, 0, -1, -1, 1, -1, -1, 0,  -1, -1, -1, -1, -1, -1},
                                  {4, 7})));
  EXPECT_THAT(layout.columns,
              TensorEq(numbers_of({0, 1, 2, 3, 4, 7, 5, 6, 7, 1, 2, 7, 7, 7, 7, 7, 7, 7,
                                   0, 1, 7, 4, 7, 7, 7, 7, 7, 0, 7, 7, 7, 7, 7, 7, 7, 7},
                                  {4, 3, 3})));
  EXPECT_THAT(layout.lengths, TensorEq(numbers_of({3, 2, 2, 2, 2, 1, 1}, {7})));
}

TEST(SegmentLayout, TakesApartAndPutsTogether) {
  const data::SentenceBatch source = sentences({{4, 5, 9, 6, 3}, {9, 4, 3}});
  const SegmentLayout layout(source, {kBar, kBlankPiece});
  const torch::Tensor x = test::random_f64({2, 5, 2}, 3);
  const torch::Tensor parts = layout.by_segment(x).all();
  EXPECT_THAT(parts[1].slice(0, 0, 2), TensorEq(x[0].slice(0, 3, 5)));
  EXPECT_THAT(layout.by_position(parts), TensorEq(x * layout.group.ge(0).unsqueeze(2)));
  const nn::IndexedRows indexed(x.flatten(0, 1), torch::arange(10).view({2, 5}));
  EXPECT_THAT(layout.by_segment(indexed).all(), TensorEq(parts));
  const torch::Tensor lines = test::random_f64({2, 2, 4}, 5);
  EXPECT_THAT(layout.by_line(layout.of_segments(lines)),
              TensorEq(lines * layout.present.unsqueeze(2)));
}

/// Recomputes one line at a time, segment by segment and step by step, from the paper's equations
/// and the parameters' names.
class PlainHierarchy : public test::Equations {
 public:
  explicit PlainHierarchy(const Seq2Seq& model) : Equations(model) {}

  struct Document {
    std::vector<torch::Tensor> words;  // [L, C] of each segment
    torch::Tensor segments;            // [G, C]
    torch::Tensor last;                // [1, C]: the state after both directions
  };

  [[nodiscard]] Document read(const std::vector<PieceIds>& segments) const {
    Document document;
    std::vector<torch::Tensor> pooled;
    for (const PieceIds& ids : segments) {
      std::vector<torch::Tensor> words;
      for (const text::TokenId id : ids)
        words.push_back(at("source_embedding.weight")[id].unsqueeze(0));
      document.words.push_back(both_ways("encoder.words.", words).states);
      pooled.push_back(pool(document.words.back()));
    }
    const Run upper = both_ways("encoder.segments.", pooled);
    document.segments = upper.states;
    document.last = upper.last;
    return document;
  }

  struct Look {
    torch::Tensor context;               // [1, C]
    std::vector<torch::Tensor> weights;  // [L] of each segment's words
    torch::Tensor among;                 // [G]
  };
  /// beta_i = softmax_i(score(q, d_i)), alpha_it = softmax_t(score'(q, h_it + d_i)), and the sum of
  /// beta_i alpha_it (h_it + d_i).
  [[nodiscard]] Look look(const torch::Tensor& query, const Document& document) const {
    Look look{torch::zeros_like(document.last), {}, weigh("group_score", query, document.segments)};
    for (std::size_t i = 0; i < document.words.size(); ++i) {
      const auto segment = static_cast<int64_t>(i);
      const torch::Tensor values = document.words[i] + document.segments[segment];
      look.weights.push_back(look.among[segment] * weigh("score", query, values));
      look.context = look.context + torch::matmul(look.weights.back().unsqueeze(0), values);
    }
    return look;
  }

 private:
  struct Run {
    torch::Tensor states;  // [L, C]
    torch::Tensor last;    // [1, C]
  };
  [[nodiscard]] Run both_ways(const std::string& level, std::vector<torch::Tensor> inputs) const {
    std::vector<torch::Tensor> halves, last;
    for (const char* direction : {"layer0_forward", "layer0_backward"}) {
      nn::CellState state{torch::zeros({1, 4}, torch::kFloat64), {}};
      std::vector<torch::Tensor> states;
      for (const torch::Tensor& input : inputs) {
        state = gru(level + direction, cell_input(level + direction, input), state);
        states.push_back(state.hidden);
      }
      last.push_back(state.hidden);
      if (!halves.empty()) std::reverse(states.begin(), states.end());
      halves.push_back(at::cat(states));
      std::reverse(inputs.begin(), inputs.end());
    }
    return {at::cat(halves, 1), at::cat(last, 1)};
  }

  // Eq. 5-7: u_t = tanh(W h_t + b), softmax of u_t . u_w.
  [[nodiscard]] torch::Tensor pool(const torch::Tensor& states) const {
    const torch::Tensor u =
        (torch::matmul(states, at("encoder.pooling.weight").t()) + at("encoder.pooling.bias"))
            .tanh();
    const torch::Tensor weights = torch::mv(u, at("encoder.pooling.query")).softmax(0);
    return torch::matmul(weights.unsqueeze(0), states);
  }

  [[nodiscard]] torch::Tensor weigh(const std::string& score, const torch::Tensor& query,
                                    const torch::Tensor& keys) const {
    const std::string name = "decoder.attention." + score + ".";
    const torch::Tensor inner = torch::matmul(query, at(name + "query_weight").t()) +
                                torch::matmul(keys, at(name + "key_weight").t()) +
                                at(name + "bias");
    return torch::mv(inner.tanh(), at(name + "vector")).softmax(0);
  }
};

struct Written {
  PieceIds ids;
  std::vector<PieceIds> segments;
};

std::vector<Written> documents() {
  return {{{4, 5, 9, 6, 9, 7, 10, 3}, {{4, 5, 9}, {6, 9}, {7, 10, 3}}},
          {{9, 4, 9, 5, 3}, {{4, 9}, {5, 3}}},
          {{7, 6, 3}, {{7, 6, 3}}}};
}

data::SentenceBatch source_of(const std::vector<Written>& all) {
  std::vector<PieceIds> ids;
  for (const Written& line : all) ids.push_back(line.ids);
  return sentences(ids);
}

const Encoder& encoder_of(const Seq2Seq& model) {
  return dynamic_cast<const Encoder&>(*model.named_children()["encoder"]);
}

// Luong et al. (2015), Eq. 5, over contexts from both levels.
TEST(HierarchicalModel, EqualsTheEquationsStepByStep) {
  const auto model = test::small_model(hierarchical_options());
  const PlainHierarchy paper(*model);
  const data::SentenceBatch target = sentences({{2, 5, 4}, {2, 8, 4}, {2, 7, 5}});
  const Decoded decoded = model->decode(model->encode(source_of(documents())), target);
  const torch::Tensor log_probs = test::log_probs(*model, decoded);
  for (int64_t row = 0; row < 3; ++row) {
    const Written line = documents()[static_cast<std::size_t>(row)];
    const PlainHierarchy::Document document = paper.read(line.segments);
    nn::CellState state{paper.affine("bridge.layer0_hidden", document.last).tanh(), {}};
    torch::Tensor fed = torch::zeros_like(state.hidden);
    for (int64_t t = 0; t < 3; ++t) {
      const auto input =
          paper.cell_input("decoder.stack.layer0", paper.word(target.ids[row].narrow(0, t, 1))) +
          paper.affine("decoder.feed", fed);
      state = paper.gru("decoder.stack.layer0", input, state);
      const PlainHierarchy::Look look = paper.look(state.hidden, document);
      fed = paper.affine("decoder.combine", at::cat({look.context, state.hidden}, 1)).tanh();
      EXPECT_THAT(log_probs[row][t], TensorNear(paper.log_probs(fed)[0], 1e-12));
      const torch::Tensor weights = at::cat(look.weights);
      const int64_t missing = line.ids.front() == kBar ? 1 : 0;
      EXPECT_THAT(decoded.weights[row][t].narrow(0, missing, weights.size(0)),
                  TensorNear(weights, 1e-12));
    }
  }
}

// The first verse has no context. Empty segments are skipped, so "| | verse" equals the verse
// alone.
TEST(HierarchicalModel, AMissingSegmentIsAsIfItHadNeverBeen) {
  for (const BridgeKind bridge : {BridgeKind::last, BridgeKind::mean, BridgeKind::zero}) {
    ModelOptions options = hierarchical_options();
    test::recurrent_decoder(options).bridge = bridge;
    const auto model = test::small_model(options);
    const data::SentenceBatch target = sentences({{2, 5, 4}, {2, 5, 4}});
    const data::SentenceBatch source = sentences({{9, 8, 9, 7, 6, 9, 9, 4, 3}, {7, 6, 9, 4, 3}});
    const Decoded decoded = model->decode(model->encode(source), target);
    EXPECT_THAT(decoded.outputs[0], TensorNear(decoded.outputs[1], 1e-12)) << enum_name(bridge);
    const auto kept = numbers_of({3, 4, 5, 7, 8}, {5});
    EXPECT_THAT(decoded.weights[0].index_select(1, kept),
                TensorNear(decoded.weights[1].narrow(1, 0, 5), 1e-12));
    EXPECT_THAT(decoded.weights[0].index_select(1, numbers_of({0, 1, 2, 6}, {4})),
                TensorEq(torch::zeros({3, 4}, torch::kFloat64)));
  }
}

TEST(HierarchicalModel, WordsSeeTheirSegmentAlone) {
  const auto model = test::small_model(hierarchical_options());
  const auto pooling = [&](const PieceIds& ids) {
    return model->trace(sentences({ids}), sentences({{2}})).encoder.front()[0][0];
  };
  const torch::Tensor weights = pooling({4, 5, 9, 6, 3});
  EXPECT_THAT(weights.sum(1), TensorNear(torch::ones({5}, torch::kFloat64), 1e-12));
  EXPECT_THAT(weights.slice(0, 0, 3).slice(1, 3), TensorEq(torch::zeros({3, 2}, torch::kFloat64)));
  EXPECT_THAT(pooling({4, 5, 9, 7, 3}).slice(0, 0, 3), TensorEq(weights.slice(0, 0, 3)));
}

// Lines with three segments, two (the first one is skipped) and one.
TEST(HierarchicalModel, SaysWhichSegmentsAndPositionsAreThere) {
  const auto model = test::small_model(hierarchical_options());
  const data::SentenceBatch source = source_of(documents());
  const auto outputs = encoder_of(*model).encode(model->embed_source(source), source);
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_THAT(outputs[1].mask.to(torch::kInt64),
              TensorEq(numbers_of({1, 1, 1, 1, 1, 0, 1, 0, 0}, {3, 3})));
  EXPECT_THAT(outputs[1].lengths, TensorEq(numbers_of({3, 2, 1}, {3})));
  EXPECT_EQ(
      (outputs[1].outputs * outputs[1].mask.logical_not().unsqueeze(2)).abs().sum().item<double>(),
      0);
  EXPECT_THAT(outputs[0].mask[1].to(torch::kInt64),
              TensorEq(numbers_of({0, 1, 1, 1, 1, 0, 0, 0}, {8})));
  EXPECT_EQ(
      (outputs[0].outputs * outputs[0].mask.logical_not().unsqueeze(2)).abs().sum().item<double>(),
      0);
}

ModelOptions dropping(double DropoutOptions::*where) {
  ModelOptions options = hierarchical_options();
  options.dropout.*where = 0.5;
  return options;
}

// A dropped value of d_i is zero in the second memory; one of h_it, in the difference of both.
TEST(HierarchicalModel, DropsOutputsOfBothLevels) {
  torch::manual_seed(4);
  const auto model = test::small_model(dropping(&DropoutOptions::layer));
  model->train();
  const data::SentenceBatch source = sentences({{4, 5, 9, 6, 3}, {7, 9, 10, 4, 3}});
  const auto outputs = encoder_of(*model).encode(model->embed_source(source), source);
  const torch::Tensor segments = outputs[1].outputs;  // [2, 2, 8]
  const torch::Tensor words = outputs[0].outputs[0].slice(0, 0, 3) - segments[0][0];
  const auto zeros = [](const torch::Tensor& x) { return x.abs().lt(1e-14).sum().item<int64_t>(); };
  EXPECT_GT(zeros(segments), 0);
  EXPECT_LT(zeros(segments), segments.numel());
  EXPECT_GT(zeros(words), 0);
  EXPECT_LT(zeros(words), words.numel());
}

// Zero recurrent weights hide dropout on the states of one level, so the other level must show it.
TEST(HierarchicalModel, DropsStatesOfBothLevels) {
  torch::manual_seed(4);
  const data::SentenceBatch source = sentences({{4, 5, 9, 6, 9, 8, 7, 3}});
  for (const std::string other : {"words", "segments"}) {
    const auto model = test::small_model(dropping(&DropoutOptions::recurrent));
    for (const char* direction : {".layer0_forward", ".layer0_backward"}) {
      const std::string name = "encoder." + other + direction + ".recurrent_weight";
      test::set_parameter(*model, name, torch::zeros_like(parameter(*model, name)));
    }
    model->train();
    const auto run = [&] {
      return encoder_of(*model).encode(model->embed_source(source), source)[0].outputs;
    };
    EXPECT_FALSE(torch::allclose(run(), run())) << "all but " << other;
  }
}

TEST(HierarchicalModel, DropsWeightsButShowsThemAll) {
  torch::manual_seed(4);
  const auto model = test::small_model(dropping(&DropoutOptions::attention));
  model->train();
  const data::SentenceBatch target = sentences({{2, 5}, {2, 8}, {2, 7}});
  const auto run = [&] { return model->decode(model->encode(source_of(documents())), target); };
  const Decoded once = run(), again = run();
  EXPECT_FALSE(torch::allclose(once.outputs, again.outputs));
  EXPECT_THAT(once.weights.sum(2), TensorNear(torch::ones({3, 2}, torch::kFloat64), 1e-12));
}

TEST(HierarchicalModel, SaysWhatIsComputedStepByStep) {
  ModelOptions options = hierarchical_options();
  auto& encoder = std::get<HierarchicalEncoderOptions>(options.encoder);
  EXPECT_THAT(HierarchicalEncoder(encoder, options).plain_reasons(), testing::IsEmpty());
  encoder.cell = CellKind::ntm;
  EXPECT_THAT(HierarchicalEncoder(encoder, options).plain_reasons(),
              testing::ElementsAre(testing::HasSubstr("cell")));
}

TEST(HierarchicalModel, IsMadeWithASeparatorOnly) {
  ModelOptions options = hierarchical_options();
  auto& encoder = std::get<HierarchicalEncoderOptions>(options.encoder);
  encoder.separator = -1;
  EXPECT_THAT([&] { (void)HierarchicalEncoder(encoder, options); },
              testing::ThrowsMessage<ConfigError>(testing::HasSubstr("data.segments.separator")));
}

}  // namespace
}  // namespace attend::model
