// Random draws in training depend only on the line that they are made for, not on the other lines
// of the batch or their lengths.
#include "nn/drawing.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "nn/attention/registry.h"
#include "nn/execution.h"
#include "tests/model/small_models.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using nn::DistributionKind;
using nn::Estimator;
using nn::ScopeKind;
using nn::ScoreKind;
using test::TensorNear;

struct DrawingCase {
  std::string name;
  ModelOptions options;
};

void drop_everywhere(ModelOptions& options) {
  options.dropout.embedding = options.dropout.layer = options.dropout.output = 0.3;
  options.dropout.recurrent = options.dropout.attention = 0.3;
  options.dropout.word = {.source = 0.3, .target = 0.3};
}

std::vector<DrawingCase> recurrent_drawing_cases() {
  std::vector<DrawingCase> cases;
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    ModelOptions options = test::small_options(wiring, CellKind::lstm);
    test::recurrent_encoder(options).layers = 2;
    test::recurrent_decoder(options).layers = 3;
    drop_everywhere(options);
    if (!wiring_attends(wiring)) options.dropout.attention = 0.0;
    cases.push_back({std::string(enum_name(wiring)), options});
  }
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::gru);
  drop_everywhere(options);
  const auto add = [&](const std::string& name, const auto& change) {
    ModelOptions changed = options;
    change(changed);
    cases.push_back({name, changed});
  };
  add("without_feeding", [](ModelOptions& o) { test::recurrent_decoder(o).input_feeding = false; });
  add("heads", [](ModelOptions& o) { o.attention.heads = 2; });
  add("coverage", [](ModelOptions& o) { o.attention.score = ScoreKind::coverage; });
  add("local_m", [](ModelOptions& o) {
    o.attention.scope = ScopeKind::local_m;
    o.attention.window = 1;
  });
  add("embeddings_by_type", [](ModelOptions& o) {
    o.dropout.word = {};
    o.dropout.embedding_by = MaskPer::type;
  });
  add("words_by_type", [](ModelOptions& o) { o.dropout.word.by = MaskPer::type; });
  for (const Estimator estimator : {Estimator::gumbel, Estimator::reinforce}) {
    const auto draw = [&](ModelOptions& o) {
      o.attention.distribution = DistributionKind::hard;
      o.attention.estimator = estimator;
      o.dropout.attention = 0.0;
    };
    const std::string name(enum_name(estimator));
    add(name, draw);
    add(name + "_of_a_window", [&](ModelOptions& o) {
      draw(o);
      o.attention.scope = ScopeKind::local_m;
      o.attention.window = 1;
    });
  }
  add("hierarchical", [](ModelOptions& o) {
    o.encoder = HierarchicalEncoderOptions{test::recurrent_encoder(o), /*separator=*/6};
  });
  add("memory", [](ModelOptions& o) {
    o.encoder =
        MemoryEncoderOptions{.hops = {.count = 2, .slots = 50, .empty_slots = 0.5}, .separator = 6};
    o.embedding = 3 * 4;
    o.dropout.recurrent = o.dropout.layer = 0.0;
  });
  return cases;
}

std::vector<DrawingCase> drawing_cases() {
  std::vector<DrawingCase> cases = recurrent_drawing_cases();
  ModelOptions local = test::transformer_options();
  local.attention.scope = ScopeKind::local_m;
  local.attention.window = 1;
  local.attention.heads = 2;
  drop_everywhere(local);
  local.dropout.recurrent = 0.0;
  cases.push_back({"transformer_local", local});
  for (const DecoderOptions& decoder : test::all_decoders()) {
    for (const ScoreKind score :
         {ScoreKind::scaled_dot, ScoreKind::additive, ScoreKind::coverage}) {
      ModelOptions options = test::transformer_options(TransformerEncoderOptions(), decoder);
      options.attention.score = score;
      options.attention.heads = 2;
      drop_everywhere(options);
      options.dropout.feed_forward = 0.3;
      if (stack_of(decoder) != nullptr) test::stack_decoder(options).layer_drop = 0.2;
      cases.push_back({fmt::format("transformer_{}_{}", type_name(decoder), score), options});
    }
  }
  return cases;
}

class Drawing : public testing::TestWithParam<DrawingCase> {};

/// Sources with repeated words and, for encoders that read segments, three segments.
test::Pairs pairs_of_segments() {
  test::Pairs pairs = test::three_pairs();
  pairs.source = test::sentences({{4, 5, 6, 4, 4, 6, 7, 3}, {5, 6, 8, 6, 3}, {4, 4, 5, 3}});
  return pairs;
}

struct RowsOutcome {
  torch::Tensor outputs;  // [B, T, D]
  torch::Tensor gradient;
};

/// Trains on the given rows of `pairs`, without surplus padding.
RowsOutcome train_on_rows(Seq2Seq& model, const test::Pairs& pairs,
                          const std::vector<int64_t>& rows) {
  const torch::Tensor chosen = torch::tensor(rows, torch::kInt64);
  const data::SentenceBatch source = test::select(pairs.source, chosen);
  const data::SentenceBatch target = test::select(pairs.target_input, chosen);
  const auto cut = [](const data::SentenceBatch& batch) {
    const int64_t width = batch.lengths.max().item<int64_t>();
    return data::SentenceBatch{batch.ids.narrow(1, 0, width).contiguous(), batch.lengths,
                               batch.mask.narrow(1, 0, width).contiguous()};
  };
  const nn::LinesScope lines(chosen + 100);
  torch::manual_seed(11);
  model.train();
  model.zero_grad();
  const data::SentenceBatch input = cut(target);
  const Decoded decoded = model.decode(model.encode(cut(source)), input);
  const torch::Tensor outputs = decoded.outputs * input.mask.unsqueeze(2);
  outputs.pow(2).sum().backward();
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& parameter : model.parameters()) {
    const torch::Tensor& gradient = parameter.grad();
    gradients.push_back(
        (gradient.defined() ? gradient.to_dense() : torch::zeros_like(parameter)).flatten());
  }
  return {outputs.detach(), torch::cat(gradients)};
}

TEST_P(Drawing, IsTheSameForALineWhateverItsCompany) {
  const auto model = test::small_model(GetParam().options);
  const test::Pairs pairs = pairs_of_segments();
  for (const bool fused : {false, true}) {
    const nn::ExecutionScope scope({.fused = fused, .bf16 = false});
    const RowsOutcome whole = train_on_rows(*model, pairs, {0, 1, 2});
    const RowsOutcome first = train_on_rows(*model, pairs, {0, 2}),
                      second = train_on_rows(*model, pairs, {1});
    const auto row_of = [](const RowsOutcome& outcome, int64_t row, int64_t steps) {
      return outcome.outputs[row].narrow(0, 0, steps);
    };
    const auto steps = [&](int64_t row) { return pairs.target_input.lengths[row].item<int64_t>(); };
    EXPECT_THAT(row_of(first, 0, steps(0)), TensorNear(row_of(whole, 0, steps(0)), 1e-10)) << fused;
    EXPECT_THAT(row_of(first, 1, steps(2)), TensorNear(row_of(whole, 2, steps(2)), 1e-10)) << fused;
    EXPECT_THAT(row_of(second, 0, steps(1)), TensorNear(row_of(whole, 1, steps(1)), 1e-10))
        << fused;
    EXPECT_THAT(first.gradient + second.gradient, TensorNear(whole.gradient, 1e-9)) << fused;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Drawing, testing::ValuesIn(drawing_cases()),
                         [](const auto& drawn) { return drawn.param.name; });

}  // namespace
}  // namespace attend::model
