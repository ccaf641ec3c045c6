#include "app/lines/likeness_warning.h"

#include <fmt/format.h>

#include <string>

#include "core/log.h"
#include "metrics/tokenizer/writing.h"

namespace attend::app {
namespace {

constexpr int64_t kMostLines = 10'000;

std::string script_of(std::string_view line) {
  metrics::Writing writing;
  writing.add(line);
  return writing.name();
}

void warn(Likeness likeness, std::string_view line, int64_t number) {
  if (likeness == Likeness::kTarget) {
    log::warning(
        "line {} looks like the text that the model writes, not like the text that it reads; are "
        "source and target exchanged?",
        number);
  } else {
    log::warning(
        "line {} ({}) is unlike the text that the model was trained to read; for another language "
        "or subject its translation means little",
        number, script_of(line));
  }
}

}  // namespace

LikenessWarning::LikenessWarning(const LoadedModel& model) : known_(model.known) {}

void LikenessWarning::add(std::string_view line, int64_t number) {
  if (!known_) return;
  const Likeness likeness = known_->likeness(line);
  if (likeness == Likeness::kTooShort) return;
  ++judged_;
  if (likeness != Likeness::kSource && 2 * ++strange_ > judged_) {
    warn(likeness, line, number);
    known_.reset();
  } else if (judged_ == kMostLines) {
    known_.reset();
  }
}

void LikenessWarning::add(std::span<const data::LinePair> pairs, int64_t number) {
  for (const data::LinePair& pair : pairs) add(pair.source, number++);
}

}  // namespace attend::app
