// Contract of every model: all wirings and cells of the registries, plain and with everything that
// can be stacked, and transformers with all their options.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/utils.h>

#include "model/recurrent/wiring_registry.h"
#include "nn/attention/names.h"
#include "nn/rnn/cell.h"
#include "storage/weights_file.h"
#include "tests/model/small_models.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using nn::Combination;
using nn::DistributionKind;
using nn::PositionKind;
using nn::ScopeKind;
using nn::ScoreKind;
using test::log_probs;
using test::TensorEq;
using test::TensorNear;

struct Case {
  std::string name;
  ModelOptions options;
};

void PrintTo(const Case& model_case, std::ostream* out) {
  *out << model_case.name;
}

ModelOptions deep(ModelOptions options) {
  RecurrentEncoderOptions& encoder = test::recurrent_encoder(options);
  encoder.layers = 2;
  encoder.bidirectional = false;
  encoder.residual = true;
  encoder.layer_norm = true;
  RecurrentDecoderOptions& decoder = test::recurrent_decoder(options);
  decoder.layers = 3;
  decoder.residual = true;
  decoder.layer_norm = true;
  decoder.bridge = BridgeKind::mean;
  decoder.readout = ReadoutKind::maxout;
  options.attention.score = ScoreKind::general;
  options.tie = Tie::decoder;
  return options;
}

/// Attentions whose state, target position or heads pass through the wiring.
void add_attentions(std::vector<Case>& cases, WiringKind wiring) {
  const auto add = [&](const std::string& name, auto change) {
    cases.push_back(
        {fmt::format("{}_{}", wiring, name), test::small_options(wiring, CellKind::gru)});
    test::recurrent_decoder(cases.back().options).input_feeding = false;
    cases.back().options.attention.window = 1;
    change(cases.back().options.attention);
  };
  add("coverage", [](auto& attention) { attention.score = ScoreKind::coverage; });
  add("location_aware", [](auto& attention) { attention.score = ScoreKind::location_aware; });
  add("local_m", [](auto& attention) { attention.scope = ScopeKind::local_m; });
  add("position_bias", [](auto& attention) { attention.scope = ScopeKind::position_bias; });
  add("features", [](auto& attention) { attention.per_feature = true; });
  add("coverage_heads", [](auto& attention) {
    attention.score = ScoreKind::coverage;
    attention.heads = 2;
  });
}

/// Adds a transformer with one change.
template <class Change>
void add_transformer(std::vector<Case>& cases, const std::string& name, const Change& change) {
  cases.push_back({name, test::transformer_options()});
  change(cases.back().options);
}

/// Adds a transformer with the same change in both stacks.
template <class Change>
void add_stacks(std::vector<Case>& cases, const std::string& name, const Change& change) {
  add_transformer(cases, "transformer_" + name, [&](ModelOptions& options) {
    change(test::transformer_encoder(options));
    change(test::transformer_decoder(options));
  });
}

void add_layer_attentions(std::vector<Case>& cases) {
  for (const ScoreKind score : enum_values<ScoreKind>()) {
    const bool history =
        is_one_of(score, {ScoreKind::coverage, ScoreKind::location, ScoreKind::location_aware});
    if (history) continue;
    add_transformer(cases, fmt::format("inside_{}", score), [&](ModelOptions& options) {
      test::transformer_encoder(options).layer_attention.score = score;
      if (score != ScoreKind::convolution)
        test::transformer_decoder(options).layer_attention.score = score;
    });
  }
  for (const DistributionKind distribution : enum_values<DistributionKind>()) {
    if (distribution == DistributionKind::hard) continue;
    add_stacks(cases, fmt::format("inside_{}", distribution),
               [&](auto& stack) { stack.layer_attention.distribution = distribution; });
  }
  for (const ScopeKind scope : enum_values<ScopeKind>()) {
    add_transformer(cases, fmt::format("inside_{}", scope), [&](ModelOptions& options) {
      test::transformer_encoder(options).layer_attention.scope = scope;
      if (scope != ScopeKind::local_p)
        test::transformer_decoder(options).layer_attention.scope = scope;
      test::transformer_encoder(options).layer_attention.window =
          test::transformer_decoder(options).layer_attention.window = 1;
    });
  }
}

void add_source_attentions(std::vector<Case>& cases) {
  const auto add = [&](const std::string& name, auto change) {
    add_transformer(cases, "transformer_attends_" + name, [&](ModelOptions& options) {
      options.attention.window = 1;
      change(options.attention);
    });
  };
  add("one_head", [](auto& attention) { attention.heads = 1; });
  add("additive", [](auto& attention) { attention.score = ScoreKind::additive; });
  add("coverage", [](auto& attention) { attention.score = ScoreKind::coverage; });
  add("location_aware", [](auto& attention) { attention.score = ScoreKind::location_aware; });
  add("local_m", [](auto& attention) { attention.scope = ScopeKind::local_m; });
  add("sparsemax", [](auto& attention) { attention.distribution = DistributionKind::sparsemax; });
}

void add_transformers(std::vector<Case>& cases) {
  for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
    add_stacks(cases, std::string(enum_name(norm)), [&](auto& stack) { stack.norm = norm; });
  }
  for (const PositionKind positions :
       {PositionKind::none, PositionKind::sinusoidal, PositionKind::learned, PositionKind::rotary,
        PositionKind::relative}) {
    add_stacks(cases, std::string(enum_name(positions)),
               [&](auto& stack) { stack.positions = positions; });
  }
  for (const Activation activation : {Activation::gelu, Activation::geglu, Activation::swiglu}) {
    add_stacks(cases, std::string(enum_name(activation)),
               [&](auto& stack) { stack.activation = activation; });
  }
  add_transformer(cases, "transformer_of_one_width", [](ModelOptions& options) {
    test::transformer_encoder(options).width = test::stack_decoder(options).width =
        test::transformer_encoder(options).feed_forward = 0;
    test::transformer_encoder(options).heads = test::stack_decoder(options).heads =
        options.attention.heads = 1;
  });
  add_transformer(cases, "transformer_tied",
                  [](ModelOptions& options) { options.tie = Tie::decoder; });
  add_transformer(cases, "transformer_shows_its_first_layer",
                  [](ModelOptions& options) { test::stack_decoder(options).alignment_layer = 1; });
  add_layer_attentions(cases);
  add_source_attentions(cases);
}

void add_hybrids(std::vector<Case>& cases) {
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    for (const BridgeKind bridge : {BridgeKind::last, BridgeKind::mean}) {
      cases.push_back(
          {fmt::format("transformer_to_{}_{}", wiring, bridge),
           test::transformer_options(TransformerEncoderOptions(), RecurrentDecoderOptions())});
      RecurrentDecoderOptions& decoder = test::recurrent_decoder(cases.back().options);
      decoder.wiring = wiring;
      decoder.bridge = bridge;
      cases.back().options.attention.score = ScoreKind::additive;
    }
  }
  cases.push_back(
      {"recurrent_to_transformer",
       test::transformer_options(RecurrentEncoderOptions(), TransformerDecoderOptions())});
  for (const DecoderOptions& unit : test::unit_decoders()) {
    cases.push_back({"recurrent_to_" + type_name(unit),
                     test::transformer_options(RecurrentEncoderOptions(), unit)});
    for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
      cases.push_back({fmt::format("transformer_to_{}_{}", type_name(unit), norm),
                       test::transformer_options(TransformerEncoderOptions(), unit)});
      test::stack_decoder(cases.back().options).norm = norm;
    }
  }
}

/// Decoders that start with the encoder's memory.
void add_handed_memories(std::vector<Case>& cases) {
  for (const CellKind cell : {CellKind::dnc, CellKind::ntm}) {
    for (const WiringKind wiring : {WiringKind::none, WiringKind::luong}) {
      cases.push_back({fmt::format("{}_{}_copy", wiring, cell), test::small_options(wiring, cell)});
      ModelOptions& options = cases.back().options;
      RecurrentEncoderOptions& encoder = test::recurrent_encoder(options);
      RecurrentDecoderOptions& decoder = test::recurrent_decoder(options);
      encoder.bidirectional = false;
      encoder.hidden = decoder.hidden;
      decoder.bridge = BridgeKind::copy;
    }
  }
}

/// The first of the three sources has a fact and a question, the others only a question.
void add_memory_networks(std::vector<Case>& cases) {
  for (const HopTying tying : {HopTying::adjacent, HopTying::layer_wise}) {
    for (const WiringKind wiring : {WiringKind::answer, WiringKind::none, WiringKind::luong}) {
      cases.push_back({fmt::format("memory_{}_to_{}", tying, wiring),
                       test::small_options(wiring, CellKind::gru)});
      ModelOptions& options = cases.back().options;
      const HopOptions hops{.count = 2, .tying = tying, .empty_slots = 0.5};
      options.encoder = MemoryEncoderOptions{.hops = hops, .separator = 9};
      options.embedding = word_parts(hops) * 2;
    }
  }
}

/// The first of the three sources has two segments, the others one.
void add_hierarchies(std::vector<Case>& cases) {
  const auto add = [&](const std::string& name, ModelOptions options) {
    options.encoder = HierarchicalEncoderOptions{test::recurrent_encoder(options), /*separator=*/9};
    cases.push_back({"hierarchical_" + name, std::move(options)});
  };
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    for (const CellKind cell : enum_values<CellKind>()) {
      add(fmt::format("{}_{}", wiring, cell), test::small_options(wiring, cell));
    }
    add(fmt::format("{}_deep", wiring), deep(test::small_options(wiring, CellKind::lstm)));
  }
  for (const DistributionKind distribution :
       {DistributionKind::sparsemax, DistributionKind::entmax15}) {
    add(std::string(enum_name(distribution)),
        test::small_options(WiringKind::luong, CellKind::gru));
    cases.back().options.attention.distribution = distribution;
  }
  for (const ScoreKind score : enum_values<ScoreKind>()) {
    if (is_one_of(score, {ScoreKind::additive, ScoreKind::coverage, ScoreKind::dot,
                          ScoreKind::location, ScoreKind::location_aware, ScoreKind::scaled_dot})) {
      continue;
    }
    add(std::string(enum_name(score)), test::small_options(WiringKind::luong, CellKind::gru));
    cases.back().options.attention.score = score;
    test::recurrent_decoder(cases.back().options).input_feeding = false;
  }
}

void add_several_sources(std::vector<Case>& cases) {
  const auto add = [&](const std::string& name, ModelOptions options) -> ModelOptions& {
    options.sources.count = 2;
    cases.push_back({"sources_" + name, std::move(options)});
    return cases.back().options;
  };
  for (const Combination combination :
       {Combination::concat, Combination::flat, Combination::gate, Combination::hierarchical}) {
    for (const WiringKind wiring : enum_values<WiringKind>()) {
      if (!wiring_attends(wiring)) continue;
      const CellKind cell = wiring == WiringKind::luong ? CellKind::lstm : CellKind::gru;
      add(fmt::format("{}_{}", combination, wiring), test::small_options(wiring, cell))
          .sources.combination = combination;
    }
    ModelOptions& shared = add(fmt::format("{}_of_one_encoder", combination),
                               test::small_options(WiringKind::luong, CellKind::gru));
    shared.sources = {.share_encoder = true, .combination = combination, .count = 2};
    test::recurrent_decoder(shared).input_feeding = false;
    test::recurrent_decoder(shared).bridge = BridgeKind::mean;
    shared.attention.score = ScoreKind::convolution;
  }
  add("read_by_transformers",
      test::transformer_options(TransformerEncoderOptions(), RecurrentDecoderOptions()));
  cases.back().options.attention = {};
  test::recurrent_decoder(cases.back().options).bridge = BridgeKind::mean;
  add("with_heads", test::small_options(WiringKind::luong, CellKind::gru)).attention.heads = 2;
  cases.back().options.sources.combination = Combination::flat;
  add("deep", deep(test::small_options(WiringKind::conditional, CellKind::lstm)));
  add("sparse", test::small_options(WiringKind::luong, CellKind::gru)).attention.distribution =
      DistributionKind::sparsemax;
}

void add_coattentions(std::vector<Case>& cases) {
  for (const CoattentionKind kind : {CoattentionKind::alternating, CoattentionKind::bidirectional,
                                     CoattentionKind::dynamic, CoattentionKind::parallel}) {
    const auto add = [&](const std::string& name, ModelOptions options,
                         Combination combination) -> ModelOptions& {
      options.sources = {.combination = combination, .count = 2, .coattention = kind};
      cases.push_back({fmt::format("coattention_{}_{}", kind, name), std::move(options)});
      return cases.back().options;
    };
    add("lstm", test::small_options(WiringKind::luong, CellKind::lstm), Combination::hierarchical);
    ModelOptions& shared =
        add("of_one_encoder", test::small_options(WiringKind::conditional, CellKind::gru),
            Combination::gate);
    shared.sources.share_encoder = true;
    test::recurrent_decoder(shared).bridge = BridgeKind::mean;
    test::recurrent_encoder(shared).bidirectional = false;  // 5 features
    test::recurrent_encoder(shared).hidden = 5;
    add("of_transformers",
        test::transformer_options(TransformerEncoderOptions(), RecurrentDecoderOptions()),
        Combination::flat);
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_transformers(cases);
  add_hybrids(cases);
  add_handed_memories(cases);
  add_memory_networks(cases);
  add_hierarchies(cases);
  add_several_sources(cases);
  add_coattentions(cases);
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    if (wiring_attends(wiring)) add_attentions(cases, wiring);
    for (const CellKind cell : enum_values<CellKind>()) {
      const ModelOptions plain = test::small_options(wiring, cell);
      cases.push_back({fmt::format("{}_{}", wiring, cell), plain});
      cases.push_back({fmt::format("{}_{}_deep", wiring, cell), deep(plain)});
      if (wiring != WiringKind::luong) continue;
      cases.push_back({fmt::format("{}_{}_self_attention", wiring, cell), plain});
      RecurrentEncoderOptions& encoder = test::recurrent_encoder(cases.back().options);
      encoder.self_attention = TopAttention::additive;
      encoder.self_attention_heads = 2;
      cases.push_back({fmt::format("{}_{}_without_feeding", wiring, cell), plain});
      test::recurrent_decoder(cases.back().options).input_feeding = false;
    }
  }
  return cases;
}

class Seq2SeqContract : public testing::TestWithParam<Case> {
 protected:
  Encoded encode() const { return model_->encode(pairs_.source); }
  Decoded decode() const { return model_->decode(encode(), pairs_.target_input); }
  bool attends() const { return model_->attends(); }

  std::shared_ptr<Seq2Seq> model_ = test::small_model(GetParam().options);
  test::Pairs pairs_ = GetParam().options.sources.count == 1 ? test::three_pairs()
                                                             : test::three_pairs_of_two_sources();
};

TEST_P(Seq2SeqContract, DecodingEqualsSteppingOneByOne) {
  const Decoded decoded = decode();
  const auto expected = log_probs(*model_, decoded);
  const Encoded encoded = encode();
  DecoderState state = encoded.start;
  for (int64_t t = 0; t < pairs_.target_input.ids.size(1); ++t) {
    const Predicted step =
        model_->step(pairs_.target_input.ids.select(1, t), encoded.memories, state);
    // Values beyond the end of a sentence are meaningless.
    const auto real = pairs_.target_input.mask.select(1, t).nonzero().squeeze(1);
    const auto compare = [&](const torch::Tensor& stepped, const torch::Tensor& whole) {
      EXPECT_THAT(stepped.index_select(0, real), TensorNear(whole.index_select(0, real), 1e-12))
          << "step " << t;
    };
    compare(step.logits.log_softmax(1), expected.select(1, t));
    if (attends()) compare(step.weights, decoded.weights.select(1, t));
    ASSERT_EQ(step.heads.defined(), decoded.heads.defined());
    if (step.heads.defined()) compare(step.heads, decoded.heads.select(2, t));
    state = step.state;
  }
}

TEST_P(Seq2SeqContract, EachSentenceAloneIsAsInTheBatch) {
  const Decoded together = decode();
  const auto expected = log_probs(*model_, together);
  for (int64_t row = 0; row < 3; ++row) {
    const auto only = torch::tensor({row}, torch::kInt64);
    auto source = test::select(pairs_.source, only),
         target = test::select(pairs_.target_input, only);
    source = test::repadded(source, 0);
    target = test::repadded(target, 0);
    const Decoded alone = model_->decode(model_->encode(source), target);
    const int64_t steps = target.ids.size(1);
    EXPECT_THAT(log_probs(*model_, alone)[0], TensorNear(expected[row].slice(0, 0, steps), 1e-12));
    if (!attends()) continue;
    EXPECT_THAT(alone.weights[0],
                TensorNear(together.weights[row].slice(0, 0, steps).slice(1, 0, source.ids.size(1)),
                           1e-12));
  }
}

TEST_P(Seq2SeqContract, MorePaddingChangesNothing) {
  const Decoded padded = model_->decode(model_->encode(test::repadded(pairs_.source, 2)),
                                        test::repadded(pairs_.target_input, 3));
  const int64_t steps = pairs_.target_input.ids.size(1);
  EXPECT_THAT(log_probs(*model_, padded).slice(1, 0, steps),
              TensorNear(log_probs(*model_, decode()), 1e-12));
}

TEST_P(Seq2SeqContract, PermutingTheBatchPermutesTheResult) {
  const auto order = torch::tensor({2, 0, 1}, torch::kInt64);
  const Decoded permuted = model_->decode(model_->encode(test::select(pairs_.source, order)),
                                          test::select(pairs_.target_input, order));
  EXPECT_THAT(log_probs(*model_, permuted),
              TensorNear(log_probs(*model_, decode()).index_select(0, order), 1e-12));
}

TEST_P(Seq2SeqContract, WeightsAreADistributionOverTheSentence) {
  const auto weights = decode().weights;
  ASSERT_EQ(weights.defined(), attends());
  if (!attends()) return;
  EXPECT_THAT(weights.sum(2).masked_select(pairs_.target_input.mask),
              TensorNear(torch::ones({2 + 4 + 3}), 1e-12));
  EXPECT_THAT(weights.masked_select(pairs_.source.mask.logical_not().unsqueeze(1)),
              TensorEq(torch::zeros({(2 + 4) * 4})));
}

TEST_P(Seq2SeqContract, SelectedRowsStepAsTheSentencesTheyCameFrom) {
  const auto rows = torch::tensor({2, 0, 0, 1}, torch::kInt64);
  const auto first = torch::tensor({4, 5, 6}, torch::kInt64);
  const auto second = torch::tensor({7, 8, 4}, torch::kInt64);
  const Encoded encoded = encode();
  const DecoderState state = model_->step(first, encoded.memories, encoded.start).state;
  const Predicted expected = model_->step(second, encoded.memories, state);
  const Encoded picked = encoded.select(rows);
  const Predicted selected =
      model_->step(second.index_select(0, rows), picked.memories, state.reorder(rows));
  EXPECT_THAT(selected.logits, TensorNear(expected.logits.index_select(0, rows), 1e-12));
  const Predicted again = model_->step(first.index_select(0, rows), picked.memories, picked.start);
  const auto held = again.state.tensors(), before = state.tensors();
  ASSERT_EQ(held.size(), before.size());
  ASSERT_FALSE(held.empty());
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_THAT(held[i], TensorNear(before[i].index_select(0, rows), 1e-12)) << i;
  }
}

TEST_P(Seq2SeqContract, GradientsOfTheLossMatchCentralDifferences) {
  const auto function = [&] { return test::mean_loss(*model_, pairs_); };
  EXPECT_LT(test::max_directional_error(function, test::leaves(*model_)), 1e-6);
}

TEST_P(Seq2SeqContract, EveryParameterMatters) {
  test::mean_loss(*model_, pairs_).backward();
  for (const auto& item : model_->named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_GT(item.value().grad().abs().max().item<double>(), 0.0) << item.key();
  }
}

TEST_P(Seq2SeqContract, IsItsWeightsAndNothingElse) {
  const auto other = test::small_model(GetParam().options, /*seed=*/8);
  storage::set_weights(*other, storage::weights_of(*model_), "best.safetensors");
  const auto copied = other->decode(other->encode(pairs_.source), pairs_.target_input);
  EXPECT_THAT(log_probs(*other, copied), TensorEq(log_probs(*model_, decode())));
}

TEST_P(Seq2SeqContract, IsCloseInSinglePrecision) {
  const auto expected = log_probs(*model_, decode());
  model_->to(torch::kFloat32);
  const auto actual = log_probs(*model_, decode());
  EXPECT_EQ(actual.scalar_type(), torch::kFloat32);
  EXPECT_THAT(actual, TensorNear(expected, 1e-4));
}

/// Log-probabilities and weights without padding, and the gradient of each parameter, on the CPU.
std::vector<torch::Tensor> results_of(const Seq2Seq& model, const test::Pairs& pairs) {
  const Decoded decoded = model.decode(model.encode(pairs.source), pairs.target_input);
  const auto real = [&](const torch::Tensor& x) {
    return x.masked_select(pairs.target_input.mask.unsqueeze(2));
  };
  std::vector<torch::Tensor> results = {real(log_probs(model, decoded))};
  if (decoded.weights.defined()) results.push_back(real(decoded.weights));
  const auto parameters = model.parameters();
  const auto gradients = torch::autograd::grad({test::mean_loss(model, pairs)}, parameters);
  results.insert(results.end(), gradients.begin(), gradients.end());
  for (torch::Tensor& result : results) result = result.detach().to(torch::kCPU);
  return results;
}

TEST_P(Seq2SeqContract, ComputesOnAGpuWhatItComputesOnTheCpu) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU here";
  const std::vector<torch::Tensor> expected = results_of(*model_, pairs_);
  model_->to(torch::kCUDA);
  const std::vector<torch::Tensor> actual =
      results_of(*model_, {pairs_.source.to(torch::kCUDA), pairs_.target_input.to(torch::kCUDA),
                           pairs_.target_output.to(torch::kCUDA)});
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_THAT(actual[i], TensorNear(expected[i], 1e-9)) << i;
  }
}

TEST_P(Seq2SeqContract, DropoutIsActiveInTrainingOnly) {
  torch::manual_seed(4);
  ModelOptions options = GetParam().options;
  options.dropout = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, {}};
  const auto dropping = test::small_model(options);  // the same weights
  const auto run = [&] {
    return log_probs(*dropping,
                     dropping->decode(dropping->encode(pairs_.source), pairs_.target_input));
  };
  EXPECT_THAT(run(), TensorEq(log_probs(*model_, decode())));
  dropping->train();
  EXPECT_FALSE(torch::allclose(run(), run()));
}

INSTANTIATE_TEST_SUITE_P(Registry, Seq2SeqContract, testing::ValuesIn(all_cases()),
                         [](const auto& test_case) { return test_case.param.name; });

}  // namespace
}  // namespace attend::model
