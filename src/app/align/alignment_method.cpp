#include "app/align/alignment_method.h"

#include <fmt/format.h>

#include <array>

#include "core/closest_name.h"
#include "core/error.h"
#include "core/option_name.h"
#include "decode/attention/alti.h"
#include "decode/attention/contributions.h"
#include "decode/attention/posterior.h"

namespace attend::app {

namespace {

MatrixSource no_source(const MatrixChoice& /*choice*/) {
  return {};
}

MatrixSource saliency_source(const MatrixChoice& choice) {
  return [options = choice.saliency](const model::Seq2Seq& model, const PairBlock& block) {
    return decode::saliency(model, block.source, block.targets, block.ids, options);
  };
}

MatrixSource contributions_source(const MatrixChoice& choice) {
  return [map = choice.map.value_or(decode::CrossMap{})](const model::Seq2Seq& model,
                                                         const PairBlock& block) {
    return decode::contributions(model, block.source, block.targets, map);
  };
}

MatrixSource posterior_source(const MatrixChoice& /*choice*/) {
  return [](const model::Seq2Seq& model, const PairBlock& block) {
    return decode::posterior(model, block.source, block.targets);
  };
}

MatrixSource alti_source(const MatrixChoice& choice) {
  return [map = choice.map.value_or(decode::CrossMap{})](const model::Seq2Seq& model,
                                                         const PairBlock& block) {
    return decode::alti(model, block.source, block.targets, map);
  };
}

void require_projections(const LoadedModel& model, const std::string& subject) {
  if (model.model->has_contributions()) return;
  throw UsageError(fmt::format(
      "{} needs a decoder of type transformer, ssru, gru or lstm with one weight for a position, "
      "but the model in {} has type {} and model.attention.per_feature: {}; choose attention or "
      "posterior",
      subject, model.directory.string(), model::type_name(model.experiment.model.decoder),
      model.experiment.model.attention.per_feature));
}

void require_interactions(const LoadedModel& model, const std::string& subject) {
  const std::vector<std::string> obstacles = model.model->interaction_obstacles();
  if (obstacles.empty()) return;
  throw UsageError(fmt::format(
      "{} needs an encoder and a decoder of type transformer with one weight for a position, but "
      "the model in {} has another model.{}; choose attention or posterior",
      subject, model.directory.string(), join(obstacles, ", model.")));
}

constexpr std::array<AlignmentMethod, 5> kMethods{{
    {"attention", /*by_steps=*/true, /*by_heads=*/true, /*needs_attention=*/true,
     /*require=*/nullptr, no_source},
    {"posterior", /*by_steps=*/false, /*by_heads=*/false, /*needs_attention=*/true,
     /*require=*/nullptr, posterior_source},
    {"saliency", /*by_steps=*/false, /*by_heads=*/false, /*needs_attention=*/false,
     /*require=*/nullptr, saliency_source},
    {"contributions", /*by_steps=*/true, /*by_heads=*/true, /*needs_attention=*/true,
     require_projections, contributions_source},
    {"alti", /*by_steps=*/true, /*by_heads=*/false, /*needs_attention=*/true, require_interactions,
     alti_source},
}};

}  // namespace

std::vector<std::string> alignment_method_names() {
  std::vector<std::string> names;
  for (const AlignmentMethod& method : kMethods) names.emplace_back(method.name);
  return names;
}

const AlignmentMethod& alignment_method(std::string_view name) {
  for (const AlignmentMethod& method : kMethods) {
    if (method.name == name) return method;
  }
  const auto names = alignment_method_names();
  throw UsageError(fmt::format("{} \"{}\"{}; choices: {}", option_name("method"), name,
                               did_you_mean(name, names), join(names)));
}

void require_fit(const AlignmentMethod& method, const LoadedModel& model,
                 const std::string& option) {
  if (method.require != nullptr) method.require(model, fmt::format("{} {}", option, method.name));
}

std::size_t default_shift(const AlignmentMethod& method, const LoadedModel& model) {
  if (!method.by_steps) return 0;
  const train::GuidedAlignmentOptions& guided = model.experiment.training.guided_alignment;
  // Alignment error rates on the dev verses of the Bible corpus (additive attention, judge covered)
  // with shift 0 and 1: bahdanau 0.410 and 0.557, conditional 0.238 and 0.647, luong 0.312 and
  // 0.567.
  return guided.links.empty() ? 0 : static_cast<std::size_t>(guided.shift);
}

std::optional<decode::CrossMap> default_map(const AlignmentMethod& method,
                                            const LoadedModel& model) {
  const train::GuidedAlignmentOptions& guided = model.experiment.training.guided_alignment;
  if (!method.by_heads || guided.links.empty() || guided.head == 0) return std::nullopt;
  return decode::CrossMap{0, static_cast<std::size_t>(guided.head)};
}

ForceOptions force_options(const AlignmentMethod& method, const MatrixChoice& choice) {
  ForceOptions options{.keep_attention = true, .matrices = method.matrices(choice)};
  if (!options.matrices) options.map = choice.map;
  return options;
}

LinkChoice attention_links(const LoadedModel& model) {
  const AlignmentMethod& method = alignment_method("attention");
  return {.shift = default_shift(method, model),
          .head = default_map(method, model).value_or(decode::CrossMap{}).head};
}

}  // namespace attend::app
