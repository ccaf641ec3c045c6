#include "train/run_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/option_name.h"

namespace attend::train {

bool Merit::is_better_than(const Merit& other) const {
  return score != other.score ? score > other.score : loss < other.loss;
}

bool BestSoFar::add(const Merit& validation, int64_t at_update, int64_t plateau_patience) {
  if (!any || validation.is_better_than(merit)) {
    *this = {.any = true,
             .merit = validation,
             .update = at_update,
             .since = 0,
             .since_cut = 0,
             .cuts = cuts};
    return true;
  }
  ++since;
  if (++since_cut >= plateau_patience) {
    since_cut = 0;
    ++cuts;
  }
  return false;
}

void to_json(nlohmann::json& json, const BestSoFar& best) {
  json = {{"any", best.any},       {"score", best.merit.score}, {"loss", best.merit.loss},
          {"update", best.update}, {"since", best.since},       {"since_cut", best.since_cut},
          {"cuts", best.cuts}};
}

void from_json(const nlohmann::json& json, BestSoFar& best) {
  json.at("any").get_to(best.any);
  json.at("score").get_to(best.merit.score);
  best.merit.loss = json.value("loss", std::numeric_limits<double>::max());  // older states lack it
  json.at("update").get_to(best.update);
  json.at("since").get_to(best.since);
  json.at("since_cut").get_to(best.since_cut);
  json.at("cuts").get_to(best.cuts);
}

void to_json(nlohmann::json& json, const DataPosition& position) {
  json = {{"epoch", position.epoch}, {"batch", position.batch}, {"batches", position.batches}};
  if (position.pool > 0) json["pool"] = position.pool;
}

void from_json(const nlohmann::json& json, DataPosition& position) {
  json.at("epoch").get_to(position.epoch);
  json.at("batch").get_to(position.batch);
  // Older states lack these keys.
  position.batches = json.value("batches", int64_t{0});
  position.pool = json.value("pool", int64_t{0});
}

void to_json(nlohmann::json& json, const Interval& interval) {
  json = {{"updates", interval.updates},
          {"skipped", interval.skipped},
          {"source_tokens", interval.source_tokens},
          {"target_tokens", interval.target_tokens},
          {"nll", interval.nll},
          {"alignment", interval.alignment},
          {"divergence", interval.divergence},
          {"risk", interval.risk},
          {"sentences", interval.sentences},
          {"gradient_norm", interval.gradient_norm},
          {"seconds", interval.seconds}};
}

void from_json(const nlohmann::json& json, Interval& interval) {
  json.at("updates").get_to(interval.updates);
  json.at("skipped").get_to(interval.skipped);
  json.at("source_tokens").get_to(interval.source_tokens);
  json.at("target_tokens").get_to(interval.target_tokens);
  json.at("nll").get_to(interval.nll);
  // Older states lack these keys.
  interval.alignment = json.value("alignment", 0.0);
  interval.divergence = json.value("divergence", 0.0);
  interval.risk = json.value("risk", 0.0);
  interval.sentences = json.value("sentences", int64_t{0});
  json.at("gradient_norm").get_to(interval.gradient_norm);
  json.at("seconds").get_to(interval.seconds);
}

bool RunState::is_valid() const {
  const int64_t counts[] = {update,         skipped,        skipped_in_a_row,
                            position.epoch, position.batch, position.batches,
                            position.pool,  target_tokens,  history_lines};
  return std::all_of(std::begin(counts), std::end(counts),
                     [](int64_t count) { return count >= 0; });
}

void RunState::check_judged_by(const std::string& dev_text) const {
  if (!best.any || judged_by.empty() || dev_text.empty() || judged_by == dev_text) return;
  throw DataError(fmt::format(
      "the validation set (data.dev) differs from the one that gave the run's best score: "
      "{} instead of {}; use the same files, or start again with {}",
      dev_text, judged_by, option_name("overwrite")));
}

void RunState::check_tokenizers(const std::string& now) const {
  if (tokenizers.empty() || now.empty() || tokenizers == now) return;
  throw DataError(fmt::format(
      "the tokenizers differ from those that the run was trained with: {} instead of {}; put the "
      ".model files of the run back, or start again with {}",
      now, tokenizers, option_name("overwrite")));
}

void RunState::forget_best() {
  const int64_t cuts = best.cuts;
  best = {};
  best.cuts = cuts;
  validated = -1;
  averaged = -1;
}

void to_json(nlohmann::json& json, const RunState& state) {
  json = {{"update", state.update},
          {"skipped", state.skipped},
          {"skipped_in_a_row", state.skipped_in_a_row},
          {"position", state.position},
          {"validated", state.validated},
          {"averaged", state.averaged},
          {"target_tokens", state.target_tokens},
          {"seconds", state.seconds},
          {"history_lines", state.history_lines},
          {"history_checksum", state.history_checksum},
          {"best", state.best},
          {"judged_by", state.judged_by},
          {"train_text", state.train_text},
          {"tokenizers", state.tokenizers},
          {"interval", state.interval}};
}

void from_json(const nlohmann::json& json, RunState& state) {
  json.at("update").get_to(state.update);
  json.at("skipped").get_to(state.skipped);
  json.at("skipped_in_a_row").get_to(state.skipped_in_a_row);
  json.at("position").get_to(state.position);
  json.at("validated").get_to(state.validated);
  json.at("averaged").get_to(state.averaged);
  json.at("target_tokens").get_to(state.target_tokens);
  json.at("seconds").get_to(state.seconds);
  json.at("history_lines").get_to(state.history_lines);
  json.at("best").get_to(state.best);
  // Older states lack these keys.
  state.judged_by = json.value("judged_by", std::string());
  state.train_text = json.value("train_text", std::string());
  state.tokenizers = json.value("tokenizers", std::string());
  state.history_checksum = json.value("history_checksum", uint64_t{0});
  json.at("interval").get_to(state.interval);
}

}  // namespace attend::train
