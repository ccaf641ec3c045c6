// Fused kernels against plain LibTorch: the same results and gradients, for every wiring, cell and
// score that has a fused form and for transformers, on ragged batches, with dropout, on one and two
// threads.
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include <cmath>
#include <stdexcept>

#include "kernels/product/panels.h"
#include "model/recurrent/wiring_registry.h"
#include "nn/execution.h"
#include "nn/loss.h"
#include "nn/rnn/cell.h"
#include "tests/model/small_models.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using nn::DistributionKind;
using nn::Estimator;
using nn::PositionKind;
using nn::ScopeKind;
using nn::ScoreKind;
using test::TensorNear;

struct Case {
  std::string name;
  ModelOptions options;
};

void PrintTo(const Case& model_case, std::ostream* out) {
  *out << model_case.name;
}

/// `change`s the options of a small model with dropout everywhere.
template <class Change>
Case changed(const std::string& name, WiringKind wiring, CellKind cell, const Change& change) {
  ModelOptions options = test::small_options(wiring, cell);
  test::recurrent_decoder(options).hidden = 2 * test::recurrent_encoder(options).hidden;
  options.attention.max_source_length = 4;  // less than the longest source
  options.attention.window = 2;
  options.attention.max_distance = 2;
  options.dropout.embedding = 0.2;
  options.dropout.recurrent = 0.3;
  change(options);
  return {name, options};
}

/// Scores, distributions and scopes other than the first with a fused form, alone and with heads,
/// and with dropout on the weights.
std::vector<Case> attention_cases() {
  std::vector<Case> cases;
  const auto add = [&cases](const std::string& name, const auto& change) {
    cases.push_back(changed("conditional_" + name, WiringKind::conditional, CellKind::gru, change));
    cases.push_back(changed("luong_" + name + "_dropped", WiringKind::luong, CellKind::lstm,
                            [&](ModelOptions& o) {
                              change(o);
                              o.dropout.attention = 0.3;
                            }));
    cases.push_back(changed("bahdanau_" + name + "_heads", WiringKind::bahdanau, CellKind::gru,
                            [&](ModelOptions& o) {
                              change(o);
                              o.attention.heads = 2;
                            }));
  };
  for (const ScoreKind score :
       {ScoreKind::activated_general, ScoreKind::biased_general, ScoreKind::concat,
        ScoreKind::convolution, ScoreKind::cosine, ScoreKind::coverage, ScoreKind::kernel,
        ScoreKind::location, ScoreKind::location_aware}) {
    add(std::string(enum_name(score)), [score](ModelOptions& o) { o.attention.score = score; });
  }
  add("fertility", [](ModelOptions& o) {
    o.attention.score = ScoreKind::coverage;
    o.attention.fertility = 2.0;
  });
  for (const DistributionKind distribution :
       {DistributionKind::entmax15, DistributionKind::sigmoid, DistributionKind::sparsemax,
        DistributionKind::softmax}) {
    add(std::string(enum_name(distribution)), [distribution](ModelOptions& o) {
      o.attention.distribution = distribution;
      o.attention.temperature = 0.7;
    });
  }
  add("shares", [](ModelOptions& o) {
    o.attention.distribution = DistributionKind::sigmoid;
    o.attention.sum_to_one = true;
  });
  for (const ScopeKind scope : {ScopeKind::local_m, ScopeKind::local_p, ScopeKind::position_bias}) {
    add(std::string(enum_name(scope)), [scope](ModelOptions& o) { o.attention.scope = scope; });
  }
  // Windows are placed in the whole source, although this score sees only its beginning.
  add("location_local_p", [](ModelOptions& o) {
    o.attention.score = ScoreKind::location;
    o.attention.scope = ScopeKind::local_p;
  });
  cases.push_back(
      changed("luong_location_local_m", WiringKind::luong, CellKind::gru, [](ModelOptions& o) {
        o.attention.score = ScoreKind::location;
        o.attention.scope = ScopeKind::local_m;
        o.attention.window = 1;  // narrow windows would draw masks in another order
      }));
  return cases;
}

/// Attention that draws positions, without dropout on its weights.
std::vector<Case> gumbel_cases() {
  std::vector<Case> cases;
  for (const int64_t heads : {1, 2}) {
    cases.push_back(changed(fmt::format("luong_gumbel_{}", heads), WiringKind::luong, CellKind::gru,
                            [heads](ModelOptions& o) {
                              o.attention.distribution = DistributionKind::hard;
                              o.attention.estimator = Estimator::gumbel;
                              o.attention.temperature = 0.7;
                              o.attention.heads = heads;
                            }));
  }
  return cases;
}

/// Layer normalisation in every cell and wiring.
std::vector<Case> normed_cases() {
  std::vector<Case> cases;
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    for (const CellKind cell : {CellKind::gru, CellKind::lstm}) {
      cases.push_back(
          changed(fmt::format("{}_normed_{}", wiring, cell), wiring, cell, [](ModelOptions& o) {
            test::recurrent_encoder(o).layer_norm = test::recurrent_decoder(o).layer_norm = true;
            test::recurrent_decoder(o).layers = 2;
          }));
    }
  }
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases = attention_cases();
  for (const auto& more : {gumbel_cases(), normed_cases()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    for (const CellKind cell : enum_values<CellKind>()) {
      if (nn::cell_has_memory(cell))
        continue;  // no loop of kernels; slot_kernels_test covers the
                   // DNC
      for (const ScoreKind score :
           {ScoreKind::additive, ScoreKind::dot, ScoreKind::scaled_dot, ScoreKind::general}) {
        if (!wiring_attends(wiring) && score != ScoreKind::additive) continue;
        ModelOptions options = test::small_options(wiring, cell);
        options.attention.score = score;
        test::recurrent_decoder(options).hidden =
            2 * test::recurrent_encoder(options).hidden;  // dot requires equal sizes
        options.dropout.embedding = 0.2;
        options.dropout.recurrent = 0.3;
        options.dropout.output = 0.2;
        cases.push_back({fmt::format("{}_{}_{}", wiring, cell, score), options});
      }
    }
  }
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    ModelOptions stacked = test::small_options(wiring, CellKind::lstm);
    test::recurrent_encoder(stacked).layers = 2;
    RecurrentDecoderOptions& decoder = test::recurrent_decoder(stacked);
    decoder.layers = 3;
    decoder.residual = true;
    stacked.dropout.recurrent = 0.3;
    cases.push_back({fmt::format("{}_stacked", wiring), stacked});
  }
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    ModelOptions without_words = test::small_options(wiring, CellKind::gru);
    without_words.dropout.word = {.source = 0.4, .target = 0.4};
    cases.push_back({fmt::format("{}_words_left_out", wiring), without_words});
    without_words.dropout.word.by = MaskPer::type;
    without_words.dropout.word.replacement = Replacement::unk;
    cases.push_back({fmt::format("{}_words_unknown", wiring), without_words});
  }
  ModelOptions masked_by_type = test::small_options(WiringKind::luong, CellKind::gru);
  masked_by_type.dropout.embedding = 0.4;
  masked_by_type.dropout.embedding_by = MaskPer::type;
  cases.push_back({"luong_embedding_masks_by_type", masked_by_type});
  for (const DecoderOptions& decoder : test::stack_decoders()) {
    for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
      ModelOptions transformer = test::transformer_options(TransformerEncoderOptions(), decoder);
      test::transformer_encoder(transformer).norm = test::stack_decoder(transformer).norm = norm;
      test::transformer_encoder(transformer).positions = PositionKind::rotary;
      transformer.dropout.layer = 0.3;
      transformer.dropout.attention = 0.2;
      transformer.dropout.feed_forward = 0.2;
      transformer.dropout.embedding = 0.2;
      transformer.dropout.recurrent = 0.3;
      cases.push_back({fmt::format("{}_{}", type_name(decoder), norm), transformer});
    }
  }
  ModelOptions without_feeding = test::small_options(WiringKind::luong, CellKind::lstm);
  test::recurrent_decoder(without_feeding).input_feeding = false;
  cases.push_back({"luong_without_feeding", without_feeding});
  without_feeding.attention.score =
      ScoreKind::deep;  // has no fused form, unlike the layers below it
  test::recurrent_decoder(without_feeding).layers = 3;
  without_feeding.dropout.layer = without_feeding.dropout.recurrent = 0.3;
  cases.push_back({"luong_without_feeding_plain_attention", without_feeding});
  ModelOptions tied = test::small_options(WiringKind::conditional, CellKind::gru);
  tied.tie = Tie::decoder;
  cases.push_back({"conditional_tied", tied});
  ModelOptions normalized = test::small_options(WiringKind::bahdanau, CellKind::gru);
  normalized.attention.normalized = true;
  cases.push_back({"bahdanau_normalized", normalized});
  return cases;
}

/// Results of a training step, including dropout.
struct Outcome {
  torch::Tensor outputs;
  torch::Tensor weights;
  std::vector<torch::Tensor> gradients;
};

/// Gradients of the loss and, if there is attention, of its weights.
Outcome train_on(Seq2Seq& model, const nn::Execution& execution,
                 const test::Pairs& pairs = test::three_pairs()) {
  const nn::ExecutionScope scope(execution);
  model.train();
  model.zero_grad();
  torch::manual_seed(11);
  const Decoded decoded = model.decode(model.encode(pairs.source), pairs.target_input);
  torch::Tensor objective = decoded.outputs.mul(pairs.target_input.mask.unsqueeze(2)).pow(2).sum();
  if (decoded.weights.defined()) {
    objective = objective + decoded.weights.mul(pairs.target_input.mask.unsqueeze(2)).pow(3).sum();
  }
  objective.backward();
  // Values on padding are meaningless.
  const torch::Tensor real = pairs.target_input.mask.unsqueeze(2);
  Outcome outcome{decoded.outputs.detach() * real, decoded.weights, {}};
  if (outcome.weights.defined()) outcome.weights = outcome.weights.detach() * real;
  for (const torch::Tensor& parameter : model.parameters()) {
    outcome.gradients.push_back(parameter.grad().defined() ? parameter.grad().clone()
                                                           : torch::zeros_like(parameter));
  }
  return outcome;
}

constexpr nn::Execution kPlain{.fused = false, .bf16 = false};
constexpr nn::Execution kFused{.fused = true, .bf16 = false};

class FusedModel : public testing::TestWithParam<Case> {
 protected:
  ~FusedModel() override { at::set_num_threads(1); }
};

TEST_P(FusedModel, ComputesWhatThePlainOneDoes) {
  const auto model = test::small_model(GetParam().options);
  const Outcome plain = train_on(*model, kPlain);
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    const Outcome fused = train_on(*model, kFused);
    EXPECT_THAT(fused.outputs, TensorNear(plain.outputs, 1e-10));
    if (plain.weights.defined()) {
      EXPECT_THAT(fused.weights, TensorNear(plain.weights, 1e-10));
    }
    const auto names = test::parameter_names(*model);
    for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
      EXPECT_THAT(fused.gradients[i], TensorNear(plain.gradients[i], 1e-9)) << names[i];
    }
  }
}

/// 21 pairs, enough that steps are not split into single rows.
test::Pairs many_pairs() {
  const test::Pairs three = test::three_pairs();
  const torch::Tensor rows = torch::arange(21, torch::kInt64).remainder(3);
  return {test::select(three.source, rows), test::select(three.target_input, rows),
          three.target_output.index_select(0, rows)};
}

TEST_P(FusedModel, ComputesWhatThePlainOneDoesInLargeBatches) {
  const auto model = test::small_model(GetParam().options);
  const Outcome plain = train_on(*model, kPlain, many_pairs());
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    const Outcome fused = train_on(*model, kFused, many_pairs());
    EXPECT_THAT(fused.outputs, TensorNear(plain.outputs, 1e-10));
    if (plain.weights.defined()) {
      EXPECT_THAT(fused.weights, TensorNear(plain.weights, 1e-10));
    }
    for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
      EXPECT_THAT(fused.gradients[i], TensorNear(plain.gradients[i], 1e-8)) << i;
    }
  }
}

TEST_P(FusedModel, ComputesTheSameByTheFormsForDevices) {
  const auto model = test::small_model(GetParam().options);
  const Outcome plain = train_on(*model, kPlain);
  const Outcome device = train_on(*model, {.fused = true, .device_path = true});
  EXPECT_THAT(device.outputs, TensorNear(plain.outputs, 1e-12));
  if (plain.weights.defined()) {
    EXPECT_THAT(device.weights, TensorNear(plain.weights, 1e-12));
  }
  for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
    EXPECT_THAT(device.gradients[i], TensorNear(plain.gradients[i], 1e-11)) << i;
  }
}

TEST_P(FusedModel, HasTheGradientsOfCentralDifferences) {
  const auto model = test::small_model(GetParam().options);
  const test::Pairs pairs = test::three_pairs();
  const auto loss = [&] { return test::mean_loss(*model, pairs); };
  EXPECT_LT(test::max_directional_error(loss, test::leaves(*model)), 1e-6);
}

TEST_P(FusedModel, RefusesASecondBackwardPass) {
  if (stack_of(GetParam().options.decoder) != nullptr) GTEST_SKIP() << "only loops are used up";
  const auto model = test::small_model(GetParam().options);
  const torch::Tensor loss = test::mean_loss(*model, test::three_pairs());
  const std::vector<torch::Tensor> leaves = test::leaves(*model);
  const auto ask = [&] {
    return torch::autograd::grad({loss}, leaves, {}, /*retain_graph=*/true, false,
                                 /*allow_unused=*/true);
  };
  EXPECT_NO_THROW(ask());
  EXPECT_THROW(ask(), std::logic_error);
}

/// ||actual - expected|| / ||expected||, over all parameters.
double relative_distance(const Outcome& actual, const Outcome& expected) {
  double difference = 0.0, size = 0.0;
  for (std::size_t i = 0; i < expected.gradients.size(); ++i) {
    difference +=
        (actual.gradients[i] - expected.gradients[i]).pow(2).sum(torch::kFloat64).item<double>();
    size += expected.gradients[i].pow(2).sum(torch::kFloat64).item<double>();
  }
  return std::sqrt(difference / size);
}

TEST_P(FusedModel, ComesCloseInFloatAndBf16) {
  const auto model = test::small_model(GetParam().options);
  model->to(torch::kFloat32);
  const Outcome plain = train_on(*model, kPlain, many_pairs());
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    const Outcome fused = train_on(*model, kFused, many_pairs());
    EXPECT_THAT(fused.outputs, TensorNear(plain.outputs, 1e-4));
    EXPECT_LT(relative_distance(fused, plain), 1e-4);
    const Outcome device =
        train_on(*model, {.fused = true, .device_path = true, .bf16 = true}, many_pairs());
    EXPECT_THAT(device.outputs, TensorNear(plain.outputs, 0.1));
    EXPECT_LT(relative_distance(device, plain), 0.1);
    EXPECT_GT(relative_distance(device, plain), 0.0);
    if (!kernels::has_panels(kernels::Precision::bf16)) continue;
    const Outcome bf16 = train_on(*model, {.fused = true, .bf16 = true}, many_pairs());
    // A bf16 operand is off by at most 2^-9 of itself.
    EXPECT_THAT(bf16.outputs, TensorNear(plain.outputs, 0.1));
    EXPECT_LT(relative_distance(bf16, plain), 0.1);
    EXPECT_GT(relative_distance(bf16, plain), 0.0);
  }
}

/// Makes all parameters views of one buffer.
nn::GradientMemory gather_parameters(Seq2Seq& model) {
  std::vector<torch::Tensor> flat;
  for (const torch::Tensor& parameter : model.parameters()) flat.push_back(parameter.flatten());
  nn::GradientMemory memory{torch::cat(flat).detach(), {}};
  memory.gradients = torch::zeros_like(memory.values);
  int64_t begin = 0;
  for (torch::Tensor& parameter : model.parameters()) {
    const int64_t count = parameter.numel();
    parameter.set_data(memory.values.narrow(0, begin, count).view(parameter.sizes()));
    parameter.mutable_grad() = memory.gradients.narrow(0, begin, count).view(parameter.sizes());
    begin += count;
  }
  return memory;
}

/// Concatenated gradients of the loss over words.
torch::Tensor gradient_of_loss(Seq2Seq& model, const nn::GradientMemory& memory,
                               const nn::Execution& execution, double factor = 1.0) {
  const nn::ExecutionScope scope(execution);
  const test::Pairs pairs = test::three_pairs();
  memory.gradients.zero_();
  model.train();
  torch::manual_seed(11);
  const Decoded decoded = model.decode(model.encode(pairs.source), pairs.target_input);
  const nn::CrossEntropy loss =
      model.loss(nn::real_positions(decoded.outputs, pairs.target_input.mask),
                 pairs.target_output.masked_select(pairs.target_input.mask), 0.1);
  (factor == 1.0 ? loss.objective : loss.objective * factor).backward();
  return memory.gradients.clone();
}

TEST_P(FusedModel, AddsGradientsInPlaceWhereThereIsMemoryForThem) {
  const auto model = test::small_model(GetParam().options);
  const nn::GradientMemory memory = gather_parameters(*model);
  const torch::Tensor plain = gradient_of_loss(*model, memory, kPlain);
  EXPECT_GT(plain.abs().max().item<double>(), 0.0);
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    EXPECT_THAT(gradient_of_loss(*model, memory, {.fused = true, .gradients = &memory}),
                TensorNear(plain, 1e-9));
    EXPECT_THAT(gradient_of_loss(*model, memory, {.fused = false, .gradients = &memory}),
                TensorNear(plain, 1e-12));
    EXPECT_THAT(gradient_of_loss(*model, memory, {.device_path = true, .gradients = &memory}),
                TensorNear(plain, 1e-11));
  }
}

TEST_P(FusedModel, AddsTheSameGradientsInPlaceInBf16) {
  if (!kernels::has_panels(kernels::Precision::bf16))
    GTEST_SKIP() << "this CPU has no bf16 instructions";
  const auto model = test::small_model(GetParam().options);
  model->to(torch::kFloat32);
  const nn::GradientMemory memory = gather_parameters(*model);
  const torch::Tensor apart = gradient_of_loss(*model, memory, {.fused = true, .bf16 = true});
  EXPECT_THAT(gradient_of_loss(*model, memory, {.fused = true, .bf16 = true, .gradients = &memory}),
              TensorNear(apart, 1e-5 * apart.abs().max().item<double>()));
}

TEST(GradientsInPlace, RefuseAFactorThatComesTooLate) {
  const auto model = test::small_model(test::small_options(WiringKind::luong, CellKind::lstm));
  const nn::GradientMemory memory = gather_parameters(*model);
  const nn::Execution in_place{.fused = true, .gradients = &memory};
  EXPECT_THROW(gradient_of_loss(*model, memory, in_place, 0.5), std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(All, FusedModel, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace attend::model
