#include "data/tokenizer_models.h"

#include <optional>

#include "core/file.h"
#include "data/pair_reader.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"

namespace attend::data {
namespace {

/// What of a pair a model is trained on.
struct Sides {
  bool source = true;
  bool target = true;
};

/// The lines of the training text, pair by pair, so that files of different line counts show before
/// the work begins.
class TrainingLines {
 public:
  TrainingLines(const std::vector<PairFiles>& files, Sides sides) : files_(files), sides_(sides) {}

  std::optional<std::string> next() {
    while (waiting_.empty()) {
      if (!read_pair()) return std::nullopt;
    }
    std::string line = std::move(waiting_.back());
    waiting_.pop_back();
    return line;
  }

 private:
  bool read_pair() {
    while (true) {
      if (reader_) {
        if (auto pair = reader_->next()) return keep(std::move(*pair));
      }
      if (next_file_ == files_.size()) return false;
      reader_.emplace(files_[next_file_++]);
    }
  }

  bool keep(LinePair pair) {
    if (sides_.target) waiting_.push_back(std::move(pair.target));
    if (sides_.source) waiting_.push_back(std::move(pair.source));
    return true;
  }

  const std::vector<PairFiles>& files_;
  Sides sides_;
  std::size_t next_file_ = 0;
  std::optional<PairReader> reader_;
  std::vector<std::string> waiting_;  // the last one is next
};

std::string train(const text::TokenizerOptions& options, const DataOptions& data, uint64_t seed,
                  Sides sides) {
  TrainingLines lines(data.train, sides);
  return text::train_tokenizer(options, data.lowercase, seed, [&] { return lines.next(); });
}

/// Loaded once, so that a file that is no model is reported under its own name.
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
                                          const DataOptions& data, uint64_t seed) {
  if (!tokenizer.model.empty()) return given_models(tokenizer.model);
  if (tokenizer.joint) return {train(tokenizer, data, seed, {true, true})};
  return {train(tokenizer, data, seed, {true, false}), train(tokenizer, data, seed, {false, true})};
}

}  // namespace attend::data
