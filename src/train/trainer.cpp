#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/fault_point.h"
#include "core/random.h"
#include "distributed/peer_error.h"
#include "storage/weights_file.h"
#include "train/interval.h"
#include "train/limits.h"
#include "train/objective/risk_sampler.h"
#include "train/saving/best_weights.h"
#include "train/saving/snapshots.h"
#include "train/update/batch_messages.h"
#include "train/update/non_finite.h"
#include "train/update/schedule.h"

namespace attend::train {

Trainer::Trainer(TrainerParts parts, const TrainingOptions& options, uint64_t seed)
    : parts_(std::move(parts)),
      options_(options),
      joint_(parts_.peers),
      save_policy_(options.on_save_error, parts_.observer),
      seed_(seed),
      weights_(parts_.model, options.ema,
               shared_buffers(options, parts_.model.device(), parts_.peers).own),
      updater_(parts_.model, weights_.parameters(), options,
               draw_candidates(options, parts_.model, parts_.target), parts_.peers),
      stream_(parts_.corpus, options.batch, seed, parts_.cut),
      kept_({.model = parts_.model,
             .options = options_,
             .files = parts_.files,
             .policy = save_policy_,
             .state = state_}),
      saver_({.model = parts_.model,
              .weights = weights_,
              .updater = updater_,
              .files = parts_.files,
              .policy = save_policy_,
              .observer = parts_.observer,
              .state = state_}) {
  state_.train_text = parts_.train_text;
  state_.tokenizers = parts_.tokenizers;
}

ResumePoint Trainer::resume() {
  const LoadedState loaded = saver_.load();
  state_ = loaded.state;
  state_.check_judged_by(parts_.dev_text);
  state_.check_tokenizers(parts_.tokenizers);
  const bool same_text = seek_text();
  const std::string lost_best =
      lost_best_weights(parts_.files.best, state_, parts_.validator != nullptr);
  if (!lost_best.empty()) state_.forget_best();
  const std::string lost_lines =
      lost_history(parts_.files.history, state_.history_lines, state_.history_checksum);
  remove_snapshots_after(parts_.files.folder, state_.update);
  return {point(), loaded.damage, !same_text, lost_best, lost_lines};
}

/// Returns false, and restarts the epoch, if the training text has changed.
bool Trainer::seek_text() {
  const std::string& now = parts_.train_text;
  const bool known = !state_.train_text.empty() && !now.empty();
  const bool changed = known && state_.train_text != now;
  if (changed) state_.position = {.epoch = state_.position.epoch};
  const bool same_batches = stream_.seek(state_.position);
  state_.position = stream_.position();
  state_.train_text = now;
  state_.tokenizers = parts_.tokenizers;
  return same_batches && !changed;
}

RunSummary Trainer::run() {
  if (joint_.leads()) saver_.open_history();
  parts_.model.train();
  try {
    share_start();
    last_tick_ = parts_.clock();
    last_save_ = state_.seconds;
    const std::string reason = train();
    finish();
    return {reason, point(), state_.best};
  } catch (const Stopped&) {
    if (joint_.leads()) saver_.save_strictly(point());
    throw;
  } catch (const NumericError& error) {
    give_up(error);
  } catch (const MemoryError& error) {
    give_up(error);
  } catch (const distributed::PeerError& error) {
    throw distributed::PeerError(error.what() + saver_.newest_checkpoint(), error.speaks(),
                                 saver_.has_checkpoint());
  }
}

/// Saves, and throws the error with what became of the state.
template <class Error>
void Trainer::give_up(const Error& error) {
  if (!joint_.leads()) throw error;
  throw Error(error.what() + saver_.save_before_giving_up(point()));
}

void Trainer::share_start() {
  share_state();
  for (const auto& [name, tensor] : saver_.tensors()) joint_.take_from_first(tensor);
  if (!joint_.leads()) stream_.seek(state_.position);
}

/// True if training starts from a model. Its weights may be better than all later ones.
bool Trainer::must_validate_start() const {
  const bool is_trained = !options_.init_from.empty() && parts_.validator != nullptr;
  return is_trained && state_.update == 0 && state_.validated != state_.update;
}

void Trainer::validate_start() {
  if (!saver_.has_checkpoint()) lead([this] { saver_.save_strictly(point()); });
  validate();
}

std::string Trainer::train() {
  if (must_validate_start()) validate_start();
  while (true) {
    joint_.throw_if_stopped();
    if (validation_due(options_.validate_every, state_)) validate();
    std::string reason = end_reason(options_, decided());
    if (!reason.empty()) return reason;
    update();
    if (state_.update % options_.log_every == 0) log_interval();
    save_after_update();
  }
}

void Trainer::update() {
  mark_point("update begins");
  tick();
  const RunState before = state_;
  const double epochs = stream_.epochs();
  const std::vector<data::Batch> batches = stream_.next(options_.accumulate);
  const int64_t applied = state_.update - state_.skipped;
  ++state_.update;
  learning_rate_ = learning_rate(options_, {state_.update, epochs, state_.best.cuts,
                                            joint_.seconds(state_.seconds) / kSecondsPerMinute});
  const uint64_t dropout = stream_seed(seed_, "dropout", static_cast<uint64_t>(state_.update));
  const UpdateRequest request = {
      .batches = batches,
      .learning_rate = learning_rate_,
      .applied = applied,
      .dropout_seed = dropout,
      .alignment_weight = alignment_weight(options_.guided_alignment, epochs),
      .sampling_seed = stream_seed(seed_, "minimum risk", static_cast<uint64_t>(state_.update)),
      .control_values = joint_.control_values(state_.seconds)};
  try {
    apply(request);
  } catch (const NumericError&) {
    roll_back_to(before);
    throw;
  } catch (const MemoryError& error) {
    const int64_t update = state_.update;
    roll_back_to(before);
    throw MemoryError(fmt::format("update {}: {}", update, error.what()));
  }
}

void Trainer::apply(const UpdateRequest& request) {
  const UpdateResult result = updater_.update(request);
  joint_.apply(result.control_values);
  state_.position = stream_.position();
  state_.interval.seconds += tick();
  if (result.parts > parts_of_batches_) {
    parts_of_batches_ = result.parts;
    parts_.observer.on_split({point(), result.parts, describe_batches(request.batches)});
  }
  result.applied ? count(result) : skip(result, request.batches);
}

void Trainer::count(const UpdateResult& result) {
  weights_.average(state_.update - state_.skipped);
  state_.skipped_in_a_row = 0;
  state_.target_tokens += result.target_tokens;
  add_update(state_.interval, result);
  const double loss = result.nll / static_cast<double>(result.target_tokens);
  parts_.observer.on_update({point(), loss, result.target_tokens});
}

void Trainer::skip(const UpdateResult& result, std::span<const data::Batch> batches) {
  ++state_.skipped;
  ++state_.interval.skipped;
  ++state_.skipped_in_a_row;
  const double loss = result.nll / static_cast<double>(result.target_tokens);
  const SkipReport report = {.point = point(),
                             .loss = loss,
                             .gradient_norm = result.gradient_norm,
                             .in_a_row = state_.skipped_in_a_row,
                             .batch = describe_batches(batches)};
  parts_.observer.on_skip(report);
  if (state_.skipped_in_a_row > options_.skip_non_finite) {
    throw NumericError(non_finite_message(report, options_.skip_non_finite));
  }
}

void Trainer::roll_back_to(const RunState& before) {
  state_ = before;
  stream_.seek(before.position);
}

void Trainer::log_interval() {
  IntervalReport report = report_of(state_.interval, point(), learning_rate_);
  if (options_.guided_alignment.links.empty()) report.alignment_loss.reset();
  if (options_.r_drop == 0.0) report.divergence.reset();
  if (options_.mrt.samples == 0) report.risk.reset();
  state_.interval = {};
  record(history_line(report));
  parts_.observer.on_interval(report);
}

void Trainer::validate() {
  if (joint_.leads()) {
    lead_validation();
  } else {
    follow_validation();
  }
}

/// The leader measures the weights together with the followers, keeps them if they are the best,
/// saves, and shares its state.
void Trainer::lead_validation() {
  lead([this] {
    if (!weights_.are_finite()) {
      state_.validated = state_.update;
      return parts_.observer.on_save_error(
          {point(), "the weights are no longer finite; they were neither validated nor saved"});
    }
    if (parts_.validator == nullptr) return save_without_validation();
    validate_and_save();
  });
}

/// A follower measures its share of the validation set and takes the leader's state.
void Trainer::follow_validation() {
  if (weights_.are_finite()) {
    const auto shown = weights_.show();
    validate_share();
  }
  share_state();
}

void Trainer::validate_share() {
  if (parts_.validator != nullptr) static_cast<void>(parts_.validator->validate(parts_.model));
}

void Trainer::save_without_validation() {
  {
    const auto shown = weights_.show();
    if (kept_.keep_unmeasured(point())) state_.validated = state_.update;
  }
  saver_.save(point());
}

void Trainer::validate_and_save() {
  ValidationReport report;
  {
    const auto shown = weights_.show();
    report = measure("validation begins");
    state_.validated = state_.update;
    report.best = kept_.keep_best(report, parts_.dev_text);
    if (state_.update > 0) kept_.keep_snapshot(report);
  }
  record(history_line(report, options_.validation.metric));
  saver_.save(point());
  parts_.observer.on_validation(report);
}

ValidationReport Trainer::measure(std::string_view milestone) {
  mark_point(milestone);
  ValidationReport report;
  tick();
  report.result = parts_.validator->validate(parts_.model);
  report.seconds = tick();
  report.point = point();
  mark_point("weights measured");
  return report;
}

void Trainer::finish() {
  if (!weights_.are_finite()) throw NumericError(non_finite_end_message(state_.update));
  save_policy_.stop_on_errors();
  if (state_.validated != state_.update) validate();
  if (state_.averaged != state_.update) average();
  lead([this] { saver_.save_strictly(point()); });
}

void Trainer::average() {
  if (options_.average.last == 0 && options_.average.best == 0) return;
  const std::vector<std::filesystem::path> files = snapshots_to_average();
  if (files.size() < 2 || parts_.validator == nullptr) return;
  const FlatParameters& parameters = weights_.parameters();
  const BorrowedValues own(parameters, parameters.values());
  lead([&] { storage::set_weights(parts_.model, average_weights(files), files[0]); });
  joint_.take_from_first(parameters.values());
  if (joint_.leads()) {
    lead([&] { measure_average(files.size()); });
  } else {
    validate_share();
    share_state();
  }
}

/// The leader's choice, as paths in this process' folder.
std::vector<std::filesystem::path> Trainer::snapshots_to_average() {
  const std::string chosen = joint_.decide([this] {
    auto names = nlohmann::json::array();  // names only: the folder's path may not be UTF-8
    const std::vector<Snapshot> all = usable_snapshots(parts_.files.folder);
    for (const Snapshot& snapshot : choose_snapshots(all, options_.average))
      names.push_back(snapshot.file.filename().string());
    return names.dump();
  });
  const std::vector<std::string> names = nlohmann::json::parse(chosen);
  std::vector<std::filesystem::path> files;
  for (const std::string& name : names) files.push_back(parts_.files.folder / name);
  return files;
}

void Trainer::measure_average(std::size_t snapshots) {
  ValidationReport report = measure("averaging begins");
  report.averaged_snapshots = static_cast<int64_t>(snapshots);
  report.best = kept_.keep_average(report);
  state_.averaged = state_.update;
  record(history_line(report, options_.validation.metric));
  parts_.observer.on_validation(report);
}

void Trainer::save_after_update() {
  // A run that cannot write its first checkpoint ends, because it has nothing to lose yet.
  if (!saver_.has_checkpoint()) return lead([this] { saver_.save_strictly(point()); });
  if (save_due(options_.save_every, decided(), last_save_)) lead([this] { saver_.save(point()); });
}

void Trainer::record(const nlohmann::json& line) {
  if (joint_.leads()) saver_.record(line, point());
}

double Trainer::tick() {
  const double now = parts_.clock();
  const double passed = now - std::exchange(last_tick_, now);
  state_.seconds += passed;
  return passed;
}

void Trainer::lead(const std::function<void()>& task) {
  joint_.lead(task, {state_, saver_.saved_update()});
  last_save_ = state_.seconds;
}

void Trainer::share_state() {
  lead([] {});
}

RunState Trainer::decided() const {
  RunState state = state_;
  state.seconds = joint_.seconds(state.seconds);
  return state;
}

RunPoint Trainer::point() const {
  const double epochs = stream_.epochs();
  return {state_.update, epochs, state_.seconds, share_done(options_, state_, epochs)};
}

}  // namespace attend::train
