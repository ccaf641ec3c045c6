#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "core/signal.h"
#include "model/weights_file.h"
#include "train/limits.h"
#include "train/moving_average.h"
#include "train/non_finite.h"
#include "train/schedule.h"
#include "train/snapshots.h"

namespace attend::train {
namespace {

constexpr double kSecondsPerMinute = 60.0;

void stop_if_requested() {
  const int signal = requested_stop();
  if (signal != 0) throw Stopped(signal, "stopped by a signal; go on with --resume");
}

using Metadata = std::map<std::string, std::string>;

Metadata metadata_of(const RunPoint& point) {
  return {{"update", fmt::format("{}", point.update)}, {"epoch", fmt::format("{}", point.epochs)}};
}

Metadata metadata_of(const ValidationReport& report, double score) {
  Metadata metadata = metadata_of(report.point);
  metadata["loss"] = fmt::format("{}", report.result.loss);
  metadata["score"] = fmt::format("{}", score);
  if (report.result.bleu) metadata["bleu"] = fmt::format("{}", *report.result.bleu);
  return metadata;
}

}  // namespace

Trainer::Trainer(TrainerParts parts, const TrainingOptions& options, uint64_t seed)
    : parts_(std::move(parts)),
      options_(options),
      seed_(seed),
      parameters_(parts_.model),
      updater_(parts_.model, parameters_, options),
      stream_(parts_.corpus, options.batch, seed) {
  if (options.ema > 0.0) moving_average_ = parameters_.values().clone();
}

void Trainer::resume() {
  state_ = load_state(parts_.files.state, state_tensors(), parameters_);
  stream_.seek(state_.position);
  remove_snapshots_after(parts_.files.folder, state_.update);
}

RunSummary Trainer::run() {
  history_.emplace(parts_.files.history, state_.history_lines);
  state_.history_lines = history_->lines();
  last_tick_ = parts_.clock();
  last_save_ = state_.seconds;
  parts_.model.train();
  try {
    if (state_.update == 0) save();
    const std::string reason = train();
    finish();
    return {reason, point(), state_.best};
  } catch (const Stopped&) {
    save();
    throw;
  } catch (const NumericError&) {
    save();
    throw;
  }
}

std::string Trainer::train() {
  while (true) {
    stop_if_requested();
    if (validation_due(options_.validate_every, state_)) validate();
    std::string reason = end_reason(options_, state_);
    if (!reason.empty()) return reason;
    update();
    if (state_.update % options_.log_every == 0) log_interval();
    save_if_due();
  }
}

void Trainer::update() {
  tick();
  const double epochs = stream_.epochs();
  const std::vector<data::Batch> batches = stream_.next(options_.accumulate);
  const int64_t applied = state_.update - state_.skipped;
  ++state_.update;
  learning_rate_ = learning_rate(options_, {state_.update, epochs, state_.best.cuts});
  const uint64_t dropout = stream_seed(seed_, "dropout", static_cast<uint64_t>(state_.update));
  const UpdateResult result =
      updater_.update({batches, learning_rate_, applied, dropout, alignment_weight(epochs)});
  state_.position = stream_.position();
  state_.interval.seconds += tick();
  if (result.applied) {
    count(result);
  } else {
    skip(result, batches);
  }
}

double Trainer::alignment_weight(double epochs) const {
  const GuidedAlignmentOptions& guided = options_.guided_alignment;
  return guided.weight * std::pow(guided.decay, std::floor(epochs));
}

void Trainer::count(const UpdateResult& result) {
  const int64_t applied = state_.update - state_.skipped;
  if (moving_average_.defined()) {
    update_moving_average(moving_average_, parameters_.values(), options_.ema, applied);
  }
  state_.skipped_in_a_row = 0;
  state_.target_tokens += result.target_tokens;
  Interval& interval = state_.interval;
  ++interval.updates;
  interval.nll += result.nll;
  interval.alignment += result.alignment;
  interval.source_tokens += result.source_tokens;
  interval.target_tokens += result.target_tokens;
  interval.gradient_norm += result.gradient_norm;
  const double loss = result.nll / static_cast<double>(result.target_tokens);
  parts_.observer.on_update({point(), loss, result.target_tokens});
}

void Trainer::skip(const UpdateResult& result, const std::vector<data::Batch>& batches) {
  ++state_.skipped;
  ++state_.interval.skipped;
  ++state_.skipped_in_a_row;
  const double loss = result.nll / static_cast<double>(result.target_tokens);
  const SkipReport report = {point(), loss, result.gradient_norm, state_.skipped_in_a_row};
  parts_.observer.on_skip(report);
  if (state_.skipped_in_a_row > options_.skip_non_finite) {
    throw NumericError(non_finite_message(report, batches));
  }
}

void Trainer::log_interval() {
  const Interval& interval = state_.interval;
  const auto updates = static_cast<double>(std::max<int64_t>(interval.updates, 1));
  const auto tokens = static_cast<double>(std::max<int64_t>(interval.target_tokens, 1));
  IntervalReport report = {point(),
                           interval.nll / tokens,
                           learning_rate_,
                           interval.gradient_norm / updates,
                           interval.source_tokens,
                           interval.target_tokens,
                           interval.skipped,
                           interval.seconds};
  if (!options_.guided_alignment.links.empty()) report.alignment_loss = interval.alignment / tokens;
  state_.interval = {};
  record(history_line(report));
  parts_.observer.on_interval(report);
}

void Trainer::validate() {
  if (parts_.validator == nullptr) {
    state_.validated = state_.update;
    save_weights(parts_.files.best);
    return save();
  }
  ValidationReport report;
  {
    const auto shown = shown_weights();
    report = measure();
    state_.validated = state_.update;
    const double score = score_of(report.result, options_.validation.metric);
    report.best = state_.best.add(score, state_.update, options_.decay.patience);
    keep_weights(report, score);
  }
  record(history_line(report));
  save();
  parts_.observer.on_validation(report);
}

ValidationReport Trainer::measure() {
  ValidationReport report;
  tick();
  report.result = parts_.validator->validate(parts_.model);
  report.seconds = tick();
  report.point = point();
  return report;
}

void Trainer::keep_weights(const ValidationReport& report, double score) {
  const model::TensorFile weights = {model::weights_of(parts_.model), metadata_of(report, score)};
  if (report.best) model::save_tensors(parts_.files.best, weights);
  const SnapshotCounts& keep = options_.keep;
  const SnapshotCounts& average = options_.average;
  if (std::max({keep.last, keep.best, average.last, average.best}) == 0) return;
  model::save_tensors(snapshot_path(parts_.files.folder, state_.update), weights);
  prune_snapshots(parts_.files.folder, keep, average);
}

void Trainer::finish() {
  if (state_.validated != state_.update) validate();
  if (state_.averaged != state_.update) average();
  save();
}

void Trainer::average() {
  std::vector<std::filesystem::path> files;
  const std::vector<Snapshot> all = list_snapshots(parts_.files.folder);
  for (const Snapshot& chosen : choose_snapshots(all, options_.average)) {
    files.push_back(chosen.file);
  }
  if (files.size() < 2 || parts_.validator == nullptr) return;
  ValidationReport report;
  {
    const BorrowedValues own(parameters_, parameters_.values());
    model::set_weights(parts_.model, average_weights(files), files.front());
    report = measure();
    report.averaged_snapshots = static_cast<int64_t>(files.size());
    const double score = score_of(report.result, options_.validation.metric);
    report.best = score > state_.best.score;
    if (report.best) {
      state_.best.score = score;
      model::save_tensors(parts_.files.best,
                          {model::weights_of(parts_.model), metadata_of(report, score)});
    }
  }
  state_.averaged = state_.update;
  record(history_line(report));
  parts_.observer.on_validation(report);
}

void Trainer::save() {
  save_weights(parts_.files.last);
  save_state(parts_.files.state, state_, state_tensors(), parameters_);
  last_save_ = state_.seconds;
}

void Trainer::save_weights(const std::filesystem::path& file) const {
  const auto shown = shown_weights();
  model::save_tensors(file, {model::weights_of(parts_.model), metadata_of(point())});
}

void Trainer::save_if_due() {
  const SaveEvery& every = options_.save_every;
  const bool by_updates = every.updates > 0 && state_.update % every.updates == 0;
  const bool by_time =
      every.minutes > 0.0 && state_.seconds - last_save_ >= kSecondsPerMinute * every.minutes;
  if (by_updates || by_time) save();
}

void Trainer::record(const nlohmann::json& line) {
  history_->add(line);
  state_.history_lines = history_->lines();
}

double Trainer::tick() {
  const double now = parts_.clock();
  const double passed = now - std::exchange(last_tick_, now);
  state_.seconds += passed;
  return passed;
}

std::unique_ptr<BorrowedValues> Trainer::shown_weights() const {
  if (!moving_average_.defined()) return nullptr;
  return std::make_unique<BorrowedValues>(parameters_, moving_average_);
}

StateTensors Trainer::state_tensors() const {
  StateTensors tensors = updater_.optimizer().state();
  tensors["parameters"] = parameters_.values();
  if (moving_average_.defined()) tensors["moving_average"] = moving_average_;
  const torch::Tensor& baseline = updater_.reward_baseline().state();
  if (baseline.defined()) tensors["reward_baseline"] = baseline;
  return tensors;
}

RunPoint Trainer::point() const {
  const double epochs = stream_.epochs();
  return {state_.update, epochs, state_.seconds, share_done(options_, state_, epochs)};
}

}  // namespace attend::train
