#include "cli/progress.h"

#include <fmt/format.h>

#include <utility>

#include "core/log.h"

namespace attend::cli {
namespace {

std::string quality(const train::ValidationResult& result) {
  const std::string bleu = result.bleu ? fmt::format(" bleu={:.2f}", *result.bleu) : "";
  return fmt::format("loss={:.4f} nats/tok ppl={:.2f}{}", result.loss,
                     train::perplexity(result.loss), bleu);
}

}  // namespace

TrainingProgress::TrainingProgress(bool quiet) : live_(!quiet) {}

void TrainingProgress::on_update(const train::UpdateReport& report) {
  if (!started_) start_ = shown_ = report.point;
  started_ = true;
  tokens_since_shown_ += report.target_tokens;
  if (!live_.exists() || report.point.seconds - shown_.seconds < LiveLine::kSeconds) return;
  show_live(report);
}

void TrainingProgress::on_interval(const train::IntervalReport& report) {
  const std::string line = fmt::format(
      "update={} epoch={:.2f} loss={:.3f} nats/tok ppl={:.2f} lr={:.1e} norm={:.2f} tok/s={} "
      "eta={}",
      report.point.update, report.point.epochs, report.loss, train::perplexity(report.loss),
      report.learning_rate, report.gradient_norm,
      short_count(rate(report.target_tokens, report.seconds)), time_left(report.point));
  // The live line shows the same, so on a terminal only validations are logged.
  log::write(live_.exists() ? log::Level::kDebug : log::Level::kInfo, line);
}

void TrainingProgress::on_validation(const train::ValidationReport& report) {
  const std::string what = report.averaged_snapshots > 0
                               ? fmt::format("average of {}", report.averaged_snapshots)
                               : "validation";
  log::info("{} update={} epoch={:.2f} {} best={} took={} eta={}", what, report.point.update,
            report.point.epochs, quality(report.result), report.best ? "yes" : "no",
            short_duration(report.seconds), time_left(report.point));
}

void TrainingProgress::on_skip(const train::SkipReport& report) {
  log::warning("skipped update {}: loss per token {}, gradient norm {} ({} in a row); {}",
               report.point.update, report.loss, report.gradient_norm, report.in_a_row,
               report.batch);
}

void TrainingProgress::on_split(const train::SplitReport& report) {
  log::warning(
      "update {}: out of memory; batches are computed in {} parts from now on, which takes longer; "
      "a training.batch.size that fits is faster. The batch was {}",
      report.point.update, report.parts, report.batch);
}

void TrainingProgress::on_save_error(const train::SaveErrorReport& report) {
  log::warning("update {}: {}", report.point.update, report.message);
}

std::string TrainingProgress::time_left(const train::RunPoint& point) const {
  if (!started_) return "?";
  return time_for(1.0 - point.done, point.done - start_.done, point.seconds - start_.seconds);
}

void TrainingProgress::show_live(const train::UpdateReport& report) {
  const double seconds = report.point.seconds - shown_.seconds;
  std::string line = fmt::format("update {}  epoch {:.2f}  loss {:.3f}  {} tok/s  {:.0f}%  eta {}",
                                 report.point.update, report.point.epochs, report.loss,
                                 short_count(rate(tokens_since_shown_, seconds)),
                                 100.0 * report.point.done, time_left(report.point));
  live_.show(std::move(line));
  shown_ = report.point;
  tokens_since_shown_ = 0;
}

}  // namespace attend::cli
