#include "data/tokenizer_models.h"

#include <algorithm>
#include <optional>

#include "core/file.h"
#include "core/random.h"
#include "core/signal.h"
#include "data/augmentation.h"
#include "data/example_reader.h"
#include "data/pair_protection.h"
#include "text/placeholders.h"
#include "text/term_marks.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"

namespace attend::data {
namespace {

constexpr const char* kStoppedTraining = "stopped by a signal while training the tokenizer";

/// The sides of an example that a model is trained on.
struct Sides {
  bool sources = true;
  bool target = true;
};

/// The lines of the training text, example by example, so that different line counts are reported
/// before the training begins. Lines that data.augment changes are followed by their changed form,
/// whatever the run's seed. Lines of protected pairs have placeholders. Checks for a signal
/// regularly.
class TrainingLines {
 public:
  TrainingLines(const DataOptions& data, Sides sides, const Reading& reading)
      : files_(data.train),
        augment_(data.augment),
        protection_(data.protect),
        sides_(sides),
        meter_(reading, "reading text to train the tokenizer", data.train) {}

  std::optional<std::string> next() {
    while (waiting_.empty()) {
      if (!read_example()) return std::nullopt;
    }
    std::string line = std::move(waiting_.back());
    waiting_.pop_back();
    return line;
  }

 private:
  bool read_example() {
    while (true) {
      if (reader_) {
        if (auto example = reader_->next()) return keep(std::move(*example));
      }
      if (next_file_ == files_.size()) return false;
      if (reader_) lines_before_ += reader_->line_number();
      reader_.emplace(files_[next_file_++]);
    }
  }

  void report_progress() const {
    stop_if_requested(kStoppedTraining);
    meter_.report(lines_before_ + reader_->line_number(),
                  meter_.bytes_before(next_file_ - 1) + reader_->bytes_read());
  }

  bool keep(Example example) {
    constexpr int64_t kLinesBetweenStopChecks = 1024;
    if (reader_->line_number() % kLinesBetweenStopChecks == 0) report_progress();
    const int64_t line = lines_before_ + reader_->line_number();
    if (protection_.has(line)) protection_.protect(example.sources.front(), example.target);
    const uint64_t seed = stream_seed(1, "augmentation", static_cast<uint64_t>(line));
    const Change change = draw_change(augment_, seed);
    if (sides_.target) add(std::move(example.target), change, Side::target, seed);
    if (!sides_.sources) return true;
    for (auto source = example.sources.rbegin(); source != example.sources.rend(); ++source)
      add(std::move(*source), change, Side::source, seed);
    return true;
  }

  /// Adds a line, and its changed form if that differs.
  void add(std::string line, Change change, Side side, uint64_t seed) {
    std::string other = changed(line, change, side, seed);
    if (other != line) waiting_.push_back(std::move(other));
    waiting_.push_back(std::move(line));
  }

  const std::vector<CorpusFiles>& files_;
  AugmentOptions augment_;
  PairProtection protection_;
  Sides sides_;
  ReadingMeter meter_;
  std::size_t next_file_ = 0;
  int64_t lines_before_ = 0;  // of the files before the current one
  std::optional<ExampleReader> reader_;
  std::vector<std::string> waiting_;  // lines of the current example, in reverse order
};

/// Symbols that are never split. A word tokenizer has the separator anyway.
std::vector<std::string> symbols_of(const text::TokenizerOptions& options, const DataOptions& data,
                                    Sides sides) {
  std::vector<std::string> symbols;
  if (!data.protect.empty()) symbols = text::placeholder_symbols();
  if (!data.terms.empty() && sides.sources)
    std::ranges::move(text::term_symbols(), std::back_inserter(symbols));
  if (!sides.sources) return symbols;
  std::ranges::copy(tags_of(data), std::back_inserter(symbols));
  const std::string& separator = data.segments.separator;
  const bool known = std::ranges::find(symbols, separator) != symbols.end();
  if (!separator.empty() && !known && options.type != text::TokenizerType::word)
    symbols.push_back(separator);
  return symbols;
}

std::string train(const text::TokenizerOptions& options, const DataOptions& data, Sides sides,
                  const Reading& reading) {
  TrainingLines lines(data, sides, reading);
  auto model = text::train_tokenizer(
      options, data.lowercase, [&] { return lines.next(); }, symbols_of(options, data, sides));
  stop_if_requested(kStoppedTraining);  // SentencePiece does not check for signals
  return model;
}

/// Reads the files. Loads each as a model, so that an invalid one is reported under its own name.
std::vector<std::string> given_models(const std::vector<std::string>& paths) {
  std::vector<std::string> models;
  for (const std::string& path : paths) {
    const text::Tokenizer check(path, false);
    models.push_back(read_file(path));
  }
  return models;
}

}  // namespace

std::vector<std::string> tokenizer_models(const text::TokenizerOptions& tokenizer,
                                          const DataOptions& data, const Reading& reading) {
  if (!tokenizer.model.empty()) return given_models(tokenizer.model);
  const auto model_of = [&](Sides sides) { return train(tokenizer, data, sides, reading); };
  if (tokenizer.joint) return {model_of({true, true})};
  return {model_of({true, false}), model_of({false, true})};
}

}  // namespace attend::data
