#include "app/align/vote_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "align/attention_json.h"
#include "align/link_file.h"
#include "app/lines/text_lines.h"
#include "core/error.h"
#include "core/file.h"
#include "core/option_name.h"

namespace attend::app {

namespace {

class LinkVotes final : public VoteReader {
 public:
  explicit LinkVotes(const std::string& path) : reader_(path, align::LinkFormat::kPharaoh) {}

  bool add_next(align::AttentionMatrix& words) override {
    const auto line = reader_.next();
    if (!line) return false;
    line->check_inside({.source = std::ssize(words.source), .target = std::ssize(words.target)},
                       reader_.path(), reader_.line_number());
    for (const align::Link& link : line->links()) {
      words.weights(static_cast<std::size_t>(link.target), static_cast<std::size_t>(link.source)) +=
          1.0F;
    }
    return true;
  }

 private:
  align::LinkReader reader_;
};

/// True if `names` are the `words`, with or without an end symbol.
bool are_words(const std::vector<std::string>& names, const std::vector<std::string>& words) {
  const std::size_t end = names.size() - std::min(names.size(), words.size());
  return end <= 1 && names.size() >= words.size() &&
         std::equal(words.begin(), words.end(), names.begin());
}

class WeightVotes final : public VoteReader {
 public:
  explicit WeightVotes(const std::string& path) : reader_(path) {}

  bool add_next(align::AttentionMatrix& words) override {
    const auto line = reader_.next();
    if (!line) return false;
    const align::AttentionMatrix record = parse(*line);
    const bool forward =
        are_words(record.source, words.source) && are_words(record.target, words.target);
    const bool reverse =
        are_words(record.source, words.target) && are_words(record.target, words.source);
    if (!forward && !reverse) fail("its words are not those of the pair");
    for (std::size_t t = 0; t < words.target.size(); ++t) {
      for (std::size_t s = 0; s < words.source.size(); ++s) {
        const float weight = forward ? record.weights(t, s) : record.weights(s, t);
        words.weights(t, s) += std::clamp(weight, 0.0F, 1.0F);
      }
    }
    return true;
  }

 private:
  [[nodiscard]] align::AttentionMatrix parse(const std::string& line) const {
    try {
      return align::parse_word_attention(line);
    } catch (const std::runtime_error& error) {
      fail(error.what());
    }
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw DataError(reader_.path(), reader_.line_number(),
                    fmt::format("not a record of this pair: {}; write it with {} jsonl and words, "
                                "from the same text",
                                why, option_name("format")));
  }

  LineReader reader_;
};

std::unique_ptr<VoteReader> open_votes(const std::string& path) {
  if (!can_read_again(path)) {
    throw UsageError(fmt::format("{} reads its files twice; \"{}\" is not a regular file",
                                 option_name("votes"), path));
  }
  const auto first = LineReader(path).next();
  if (first && first->starts_with('{')) return std::make_unique<WeightVotes>(path);
  return std::make_unique<LinkVotes>(path);
}

std::size_t count_lines(const std::string& path) {
  LineReader reader(path);
  while (reader.next()) {
  }
  return static_cast<std::size_t>(reader.line_number());
}

}  // namespace

VoteFiles::VoteFiles(const std::vector<std::string>& paths) : paths_(paths) {
  for (const std::string& path : paths) readers_.push_back(open_votes(path));
}

void VoteFiles::add_next(align::AttentionMatrix& words) {
  ++lines_;
  // Sums the votes before it divides, so that 2 of 3 links give exactly 2.0F / 3.
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    if (readers_[i]->add_next(words)) continue;
    throw DataError(paths_[i],
                    fmt::format("has only {} lines; expected one per sentence pair", lines_ - 1));
  }
  align::WeightTable& table = words.weights;
  for (std::size_t t = 0; t < table.rows(); ++t) {
    for (std::size_t s = 0; s < table.columns(); ++s)
      table(t, s) /= static_cast<float>(readers_.size());
  }
}

void VoteFiles::check_end(const std::filesystem::path& source) {
  for (const std::string& path : paths_) check_same_count(source, lines_, path, count_lines(path));
}

}  // namespace attend::app
