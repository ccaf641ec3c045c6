#include "train/observer.h"

#include <nlohmann/json.hpp>

namespace attend::train {
namespace {

double per_second(int64_t count, double seconds) {
  return seconds > 0.0 ? static_cast<double>(count) / seconds : 0.0;
}

}  // namespace

void ObserverList::on_update(const UpdateReport& report) {
  for (TrainObserver* observer : observers_) observer->on_update(report);
}

void ObserverList::on_interval(const IntervalReport& report) {
  for (TrainObserver* observer : observers_) observer->on_interval(report);
}

void ObserverList::on_validation(const ValidationReport& report) {
  for (TrainObserver* observer : observers_) observer->on_validation(report);
}

void ObserverList::on_skip(const SkipReport& report) {
  for (TrainObserver* observer : observers_) observer->on_skip(report);
}

void ObserverList::on_split(const SplitReport& report) {
  for (TrainObserver* observer : observers_) observer->on_split(report);
}

void ObserverList::on_save_error(const SaveErrorReport& report) {
  for (TrainObserver* observer : observers_) observer->on_save_error(report);
}

nlohmann::json history_line(const IntervalReport& report) {
  nlohmann::json line = {
      {"type", "train"},
      {"update", report.point.update},
      {"epoch", report.point.epochs},
      {"loss", report.loss},
      {"perplexity", perplexity(report.loss)},
      {"learning_rate", report.learning_rate},
      {"gradient_norm", report.gradient_norm},
      {"source_tokens", report.source_tokens},
      {"target_tokens", report.target_tokens},
      {"skipped_updates", report.skipped},
      {"timing",
       {{"seconds", report.point.seconds},
        {"target_tokens_per_second", per_second(report.target_tokens, report.seconds)}}}};
  if (report.alignment_loss) line["alignment_loss"] = *report.alignment_loss;
  if (report.divergence) line["r_drop_divergence"] = *report.divergence;
  if (report.risk) line["risk"] = *report.risk;
  return line;
}

nlohmann::json history_line(const ValidationReport& report, ValidationMetric metric) {
  nlohmann::json line = {
      {"type", report.averaged_snapshots > 0 ? "average" : "validation"},
      {"update", report.point.update},
      {"epoch", report.point.epochs},
      {"loss", report.result.loss},
      {"perplexity", perplexity(report.result.loss)},
      {"metric", enum_name(metric)},
      {"best", report.best},
      {"timing", {{"seconds", report.point.seconds}, {"validation_seconds", report.seconds}}}};
  if (report.result.bleu) line["bleu"] = *report.result.bleu;
  if (report.averaged_snapshots > 0) line["snapshots"] = report.averaged_snapshots;
  return line;
}

}  // namespace attend::train
