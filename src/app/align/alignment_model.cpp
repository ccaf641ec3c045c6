#include "app/align/alignment_model.h"

#include <fmt/format.h>

#include <utility>

#include "align/extract.h"
#include "app/attention/attention_kinds.h"
#include "app/attention/sentence_attention.h"
#include "core/error.h"
#include "core/option_name.h"

namespace attend::app {

namespace {

ForceOptions force_options(const AlignmentReading& reading, const LoadedModel& model,
                           const decode::BatchSize& batch) {
  auto saliency = reading.saliency;
  saliency.seed = static_cast<uint64_t>(reading.seed.value_or(model.experiment.seed));
  const auto map = reading.map ? reading.map : default_map(reading.method, model);
  if (map && model.model->attends()) check_cross_map(*map, model);
  ForceOptions options = force_options(reading.method, {saliency, map});
  options.batch = batch;
  if (!reading.kinds.empty()) options.kinds = asked_kinds(reading.kinds, model);
  return options;
}

SentenceAttention attention_of(const ForcedPair& pair) {
  return {pair.source, pair.target, pair.forced.attention, pair.forced.heads};
}

}  // namespace

AlignmentModel::AlignmentModel(LoadedModel model, const AlignmentReading& reading)
    : model_(std::move(model)),
      reading_(reading),
      shift_(reading.shift.value_or(default_shift(reading.method, model_))),
      batch_(batch_size(reading.batch, model_)),
      forcer_(model_, force_options(reading, model_, batch_)) {}

void AlignmentModel::require_weights(const std::string& option) const {
  require_fit(reading_.method, model_, option_name("method"));
  if (!reading_.method.needs_attention || model_.model->attends()) return;
  throw UsageError(
      fmt::format("{} needs attention, but the model in {} has none (model.decoder.wiring: {}); "
                  "use gradients instead: {} saliency",
                  option, model_.directory.string(),
                  model::wiring_name(model_.experiment.model.decoder), option_name("method")));
}

int64_t AlignmentModel::window() const {
  return batch_.window();
}

std::vector<ForcedPair> AlignmentModel::force(std::span<const data::LinePair> lines,
                                              int64_t first_id) {
  return forcer_.force(lines, first_id);
}

align::AttentionMatrix AlignmentModel::matrix(const ForcedPair& pair, align::Level level) const {
  return attention_matrix(attention_of(pair), level, shift_);
}

align::Links AlignmentModel::links(const ForcedPair& pair, align::Level level) const {
  return align::extract_links(matrix(pair, level), reading_.threshold);
}

std::vector<align::AttentionKind> AlignmentModel::kinds(const ForcedPair& pair,
                                                        align::Level level) const {
  return attention_kinds({pair.source, pair.target, pair.maps}, level, shift_);
}

draw::PageReading AlignmentModel::page_reading(const ForcedPair& pair) const {
  draw::PageReading reading = app::page_reading(attention_of(pair), shift_, pair.maps);
  reading.score = pair.forced.log_prob();
  return reading;
}

}  // namespace attend::app
