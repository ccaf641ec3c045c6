#include "tests/model/fused_cases.h"

#include <fmt/format.h>
#include <torch/utils.h>

#include "model/recurrent/wiring_registry.h"
#include "nn/rnn/cell.h"
#include "tests/support/tensors.h"

namespace attend::test {
namespace {

using namespace model;
using nn::CellKind;
using nn::DistributionKind;
using nn::Estimator;
using nn::PositionKind;
using nn::ScopeKind;
using nn::ScoreKind;

/// Applies `change` to the options of a small model with dropout everywhere.
template <class Change>
Case changed(const std::string& name, WiringKind wiring, CellKind cell, const Change& change) {
  ModelOptions options = small_options(wiring, cell);
  recurrent_decoder(options).hidden = 2 * recurrent_encoder(options).hidden;
  options.attention.max_source_length = 4;  // less than the longest source
  options.attention.window = 2;
  options.attention.max_distance = 2;
  options.dropout.embedding = 0.2;
  options.dropout.recurrent = 0.3;
  change(options);
  return {name, options};
}

/// The other scores, distributions and scopes with a fused form, alone, with heads, and with
/// dropout on the weights.
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

/// Attention that draws positions. There is no dropout on its weights.
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

/// Every cell and wiring with layer normalisation.
std::vector<Case> normed_cases() {
  std::vector<Case> cases;
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    for (const CellKind cell : {CellKind::gru, CellKind::lstm}) {
      cases.push_back(
          changed(fmt::format("{}_normed_{}", wiring, cell), wiring, cell, [](ModelOptions& o) {
            recurrent_encoder(o).layer_norm = recurrent_decoder(o).layer_norm = true;
            recurrent_decoder(o).layers = 2;
          }));
    }
  }
  return cases;
}

}  // namespace

void PrintTo(const Case& model_case, std::ostream* out) {
  *out << model_case.name;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases = attention_cases();
  for (const auto& more : {gumbel_cases(), normed_cases()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    for (const CellKind cell : enum_values<CellKind>()) {
      if (nn::cell_has_memory(cell)) continue;  // cells with a memory have no loop of kernels
      for (const ScoreKind score :
           {ScoreKind::additive, ScoreKind::dot, ScoreKind::scaled_dot, ScoreKind::general}) {
        if (!wiring_attends(wiring) && score != ScoreKind::additive) continue;
        ModelOptions options = small_options(wiring, cell);
        options.attention.score = score;
        recurrent_decoder(options).hidden =
            2 * recurrent_encoder(options).hidden;  // dot requires equal sizes
        options.dropout.embedding = 0.2;
        options.dropout.recurrent = 0.3;
        options.dropout.output = 0.2;
        cases.push_back({fmt::format("{}_{}_{}", wiring, cell, score), options});
      }
    }
  }
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    ModelOptions stacked = small_options(wiring, CellKind::lstm);
    recurrent_encoder(stacked).layers = 2;
    RecurrentDecoderOptions& decoder = recurrent_decoder(stacked);
    decoder.layers = 3;
    decoder.residual = true;
    stacked.dropout.recurrent = 0.3;
    cases.push_back({fmt::format("{}_stacked", wiring), stacked});
  }
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    ModelOptions without_words = small_options(wiring, CellKind::gru);
    without_words.dropout.word = {.source = 0.4, .target = 0.4};
    cases.push_back({fmt::format("{}_words_left_out", wiring), without_words});
    without_words.dropout.word.by = MaskPer::type;
    without_words.dropout.word.replacement = Replacement::unk;
    cases.push_back({fmt::format("{}_words_unknown", wiring), without_words});
  }
  ModelOptions masked_by_type = small_options(WiringKind::luong, CellKind::gru);
  masked_by_type.dropout.embedding = 0.4;
  masked_by_type.dropout.embedding_by = MaskPer::type;
  cases.push_back({"luong_embedding_masks_by_type", masked_by_type});
  for (const DecoderOptions& decoder : stack_decoders()) {
    for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
      ModelOptions transformer = transformer_options(TransformerEncoderOptions(), decoder);
      transformer_encoder(transformer).norm = stack_decoder(transformer).norm = norm;
      transformer_encoder(transformer).positions = PositionKind::rotary;
      transformer.dropout.layer = 0.3;
      transformer.dropout.attention = 0.2;
      transformer.dropout.feed_forward = 0.2;
      transformer.dropout.embedding = 0.2;
      transformer.dropout.recurrent = 0.3;
      cases.push_back({fmt::format("{}_{}", type_name(decoder), norm), transformer});
    }
  }
  ModelOptions without_feeding = small_options(WiringKind::luong, CellKind::lstm);
  recurrent_decoder(without_feeding).input_feeding = false;
  cases.push_back({"luong_without_feeding", without_feeding});
  without_feeding.attention.score =
      ScoreKind::deep;  // has no fused form, unlike the layers below it
  recurrent_decoder(without_feeding).layers = 3;
  without_feeding.dropout.layer = without_feeding.dropout.recurrent = 0.3;
  cases.push_back({"luong_without_feeding_plain_attention", without_feeding});
  ModelOptions tied = small_options(WiringKind::conditional, CellKind::gru);
  tied.tie = Tie::decoder;
  cases.push_back({"conditional_tied", tied});
  ModelOptions normalized = small_options(WiringKind::bahdanau, CellKind::gru);
  normalized.attention.normalized = true;
  cases.push_back({"bahdanau_normalized", normalized});
  return cases;
}

Outcome train_on(Seq2Seq& model, const nn::Execution& execution, const Pairs& pairs) {
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

Pairs many_pairs() {
  const Pairs three = three_pairs();
  const torch::Tensor rows = torch::arange(21, torch::kInt64).remainder(3);
  return {select(three.source, rows), select(three.target_input, rows),
          three.target_output.index_select(0, rows)};
}

}  // namespace attend::test
