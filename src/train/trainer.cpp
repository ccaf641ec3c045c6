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
#include "train/saving/saved_weights.h"
#include "train/saving/snapshots.h"
#include "train/update/moving_average.h"
#include "train/update/non_finite.h"
#include "train/update/schedule.h"

// A process may be killed between any two system calls, and the next one must continue as if
// nothing had happened. The state is the commit: what it does not record never happened. A
// validation therefore writes, in this order,
//   best      weights better than all before; the state that records their score comes last, so a
//             run killed in between validates again, finds the same score and writes the same file;
//   snapshot  likewise; resume() removes snapshots of updates after the state's;
//   history   lines, flushed to the disk before the state that counts them; a resumed run cuts off
//             lines that the state does not count;
//   state     by renaming; the old one becomes previous.state, which a run resumes from if the new
//             one turns out damaged.
// last.safetensors is a copy of the weights in the state, for translating. It comes after the
// state, so that weights without a state are never a training run's to delete, but an average or a
// user's file.

namespace attend::train {

Trainer::Trainer(TrainerParts parts, const TrainingOptions& options, uint64_t seed)
    : parts_(std::move(parts)),
      options_(options),
      joint_(parts_.peers),
      saving_(options.on_save_error, parts_.observer),
      seed_(seed),
      parameters_(parts_.model, shared_buffers(options, parts_.model.device(), parts_.peers).own),
      updater_(parts_.model, parameters_, options,
               draw_candidates(options, parts_.model, parts_.target), parts_.peers),
      stream_(parts_.corpus, options.batch, seed, parts_.cut) {
  state_.train_text = parts_.train_text;
  state_.tokenizers = parts_.tokenizers;
  if (options.ema > 0.0) moving_average_ = parameters_.values().clone();
}

ResumePoint Trainer::resume() {
  const LoadedState loaded = load_state(parts_.files.state, state_tensors(), parameters_);
  state_ = loaded.state;
  state_.check_judged_by(parts_.dev_text);
  state_.check_tokenizers(parts_.tokenizers);
  const bool same_text = seek_text();
  const std::string lost_best = find_best();
  const std::string damage =
      lost_history(parts_.files.history, state_.history_lines, state_.history_checksum);
  saved_update_ = state_.update;
  remove_snapshots_after(parts_.files.folder, state_.update);
  return {point(), loaded.damage, !same_text, lost_best, damage};
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

/// Returns why the best weights are lost; empty if they are there.
std::string Trainer::find_best() {
  const bool scored = parts_.validator != nullptr;
  if (scored ? !state_.best.any : state_.validated < 0) return "";
  std::string lost = lost_best_weights(parts_.files.best, state_, scored);
  if (!lost.empty()) state_.forget_best();
  return lost;
}

RunSummary Trainer::run() {
  if (joint_.leads()) {
    history_.emplace(parts_.files.history, state_.history_lines);
    count_history();
  }
  parts_.model.train();
  try {
    share_start();
    last_tick_ = parts_.clock();
    last_save_ = state_.seconds;
    const std::string reason = train();
    finish();
    return {reason, point(), state_.best};
  } catch (const Stopped&) {
    if (joint_.leads()) save_strictly();
    throw;
  } catch (const NumericError& error) {
    if (!joint_.leads()) throw;
    throw NumericError(error.what() + save_before_giving_up());
  } catch (const distributed::PeerError& error) {
    throw distributed::PeerError(error.what() + last_checkpoint(), error.speaks(),
                                 has_checkpoint());
  }
}

void Trainer::share_start() {
  share_state();
  for (const auto& [name, tensor] : state_tensors()) joint_.take_from_first(tensor);
  if (!joint_.leads()) stream_.seek(state_.position);
}

/// A model that training starts from may be better than all that follow.
bool Trainer::must_validate_start() const {
  const bool is_trained = !options_.init_from.empty() && parts_.validator != nullptr;
  return is_trained && state_.update == 0 && state_.validated != state_.update;
}

void Trainer::validate_start() {
  if (!has_checkpoint()) lead([this] { save_strictly(); });
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
  const UpdateResult result = updater_.update(
      {.batches = batches,
       .learning_rate = learning_rate_,
       .applied = applied,
       .dropout_seed = dropout,
       .alignment_weight = alignment_weight(options_.guided_alignment, epochs),
       .sampling_seed = stream_seed(seed_, "minimum risk", static_cast<uint64_t>(state_.update)),
       .control_values = joint_.control_values(state_.seconds)});
  joint_.apply(result.control_values);
  state_.position = stream_.position();
  state_.interval.seconds += tick();
  if (result.applied) return count(result);
  try {
    skip(result, batches);
  } catch (const NumericError&) {
    roll_back_to(before);
    throw;
  }
}

void Trainer::count(const UpdateResult& result) {
  const int64_t applied = state_.update - state_.skipped;
  if (moving_average_.defined()) {
    update_moving_average(moving_average_, parameters_.values(), options_.ema, applied);
  }
  state_.skipped_in_a_row = 0;
  state_.target_tokens += result.target_tokens;
  add_update(state_.interval, result);
  const double loss = result.nll / static_cast<double>(result.target_tokens);
  parts_.observer.on_update({point(), loss, result.target_tokens});
}

void Trainer::skip(const UpdateResult& result, const std::vector<data::Batch>& batches) {
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
    if (!has_finite_weights()) {
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
  if (has_finite_weights()) {
    const auto shown = shown_weights();
    validate_share();
  }
  share_state();
}

void Trainer::validate_share() {
  if (parts_.validator != nullptr) static_cast<void>(parts_.validator->validate(parts_.model));
}

void Trainer::save_without_validation() {
  const bool saved = saving_.attempt(point(), [this] {
    const auto shown = shown_weights();
    save_weights(parts_.files.best, parts_.model, point());
  });
  if (saved) state_.validated = state_.update;
  save();
}

void Trainer::validate_and_save() {
  ValidationReport report;
  {
    const auto shown = shown_weights();
    report = measure("validation begins");
    state_.validated = state_.update;
    report.best = keep_best(report);
    if (state_.update > 0) keep_snapshot(report);
  }
  record(history_line(report, options_.validation.metric));
  save();
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

Merit Trainer::merit(const ValidationReport& report) const {
  return merit_of(report.result, options_.validation.metric);
}

bool Trainer::keep_best(const ValidationReport& report) {
  const BestSoFar before = state_.best;
  state_.judged_by = parts_.dev_text;
  if (!state_.best.add(merit(report), state_.update, options_.decay.patience)) return false;
  const auto write = [&] {
    save_weights(parts_.files.best, parts_.model, report, merit(report).score);
  };
  if (saving_.attempt(report.point, write)) return true;
  state_.best = before;   // weights that are not in the file are not the best,
  state_.validated = -1;  // but the run may validate them again and write them later
  return false;
}

void Trainer::keep_snapshot(const ValidationReport& report) {
  const SnapshotCounts& keep = options_.keep;
  const SnapshotCounts& average = options_.average;
  if (std::max({keep.last, keep.best, average.last, average.best}) == 0) return;
  saving_.attempt(report.point, [&] {
    const auto file = snapshot_path(parts_.files.folder, state_.update);
    save_weights(file, parts_.model, report, merit(report).score);
    prune_snapshots(parts_.files.folder, keep, average);
  });
}

void Trainer::finish() {
  if (!has_finite_weights()) throw NumericError(non_finite_end_message(state_.update));
  saving_.stop_on_errors();
  if (state_.validated != state_.update) validate();
  if (state_.averaged != state_.update) average();
  lead([this] { save_strictly(); });
}

void Trainer::average() {
  if (options_.average.last == 0 && options_.average.best == 0) return;
  const std::vector<std::filesystem::path> files = snapshots_to_average();
  if (files.size() < 2 || parts_.validator == nullptr) return;
  const BorrowedValues own(parameters_, parameters_.values());
  lead([&] { storage::set_weights(parts_.model, average_weights(files), files[0]); });
  joint_.take_from_first(parameters_.values());
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
    const std::vector<Snapshot> all = list_snapshots(parts_.files.folder);
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
  const Merit of_average = merit(report);
  const auto write = [&] {
    save_weights(parts_.files.best, parts_.model, report, of_average.score);
  };
  report.best =
      of_average.is_better_than(state_.best.merit) && saving_.attempt(report.point, write);
  if (report.best) {
    state_.best.merit = of_average;
    state_.best.update = state_.update;
  }
  state_.averaged = state_.update;
  record(history_line(report, options_.validation.metric));
  parts_.observer.on_validation(report);
}

void Trainer::save_after_update() {
  // A run that cannot write its first checkpoint ends before there is more to lose.
  if (!has_checkpoint()) return lead([this] { save_strictly(); });
  if (save_due(options_.save_every, decided(), last_save_)) lead([this] { save(); });
}

void Trainer::save() {
  saving_.attempt(point(), [this] { save_strictly(); });
}

void Trainer::save_strictly() {
  if (!has_finite_weights()) {
    if (!has_checkpoint()) throw NumericError(non_finite_start_message(state_.update));
    return parts_.observer.on_save_error(
        {point(), "the weights are no longer finite; they were not saved"});
  }
  history_->flush_to_disk();
  save_state(parts_.files.state, state_, state_tensors(), parameters_);
  saved_update_ = state_.update;
  {
    const auto shown = shown_weights();
    save_weights(parts_.files.last, parts_.model, point());
  }
  mark_point("saved");
}

std::string Trainer::save_before_giving_up() {
  if (!has_finite_weights()) {
    return has_checkpoint()
               ? ". The weights are no longer finite, so the last checkpoint was kept as it is"
               : "";
  }
  try {
    save_strictly();
    return ". The state before it is saved";
  } catch (const DataError& error) {
    return std::string(". The state before it could not be saved: ") + error.what();
  }
}

bool Trainer::has_finite_weights() const {
  return parameters_.values().isfinite().all().item<bool>();
}

void Trainer::record(const nlohmann::json& line) {
  if (!joint_.leads()) return;
  saving_.attempt(point(), [&] { history_->add(line); });
  count_history();
}

void Trainer::count_history() {
  state_.history_lines = history_->lines();
  state_.history_checksum = history_->checksum();
}

double Trainer::tick() {
  const double now = parts_.clock();
  const double passed = now - std::exchange(last_tick_, now);
  state_.seconds += passed;
  return passed;
}

void Trainer::lead(const std::function<void()>& task) {
  joint_.lead(task, {state_, saved_update_});
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

std::string Trainer::last_checkpoint() const {
  if (!has_checkpoint()) return "; there is no checkpoint yet";
  return fmt::format("; the last checkpoint is update {} in {}", saved_update_,
                     parts_.files.folder.string());
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
