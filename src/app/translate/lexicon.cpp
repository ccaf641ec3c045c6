#include "app/translate/lexicon.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "align/lexicon.h"
#include "app/lines/source_file.h"
#include "app/lines/source_line.h"
#include "app/model/loaded_model.h"
#include "core/error.h"
#include "core/file.h"
#include "core/signal.h"
#include "data/pair_protection.h"
#include "data/pair_reader.h"
#include "decode/scoring/shortlist.h"
#include "text/long_line.h"

namespace attend::app {
namespace {

/// Reads pairs like training: skips those with a side that is empty or too long.
class LexiconPairs {
 public:
  LexiconPairs(const LoadedModel& model, const LexiconRequest& request)
      : model_(model),
        source_(request.source, model),
        target_(request.target),
        protection_(model.experiment.data.protect) {}

  std::vector<align::NumberedPair> read(LexiconCount& count) {
    data::PairReader reader({source_.path().string(), target_});
    std::vector<align::NumberedPair> pairs;
    while (auto lines = reader.next()) {
      stop_if_requested("stopped by a signal; nothing was written");
      protection_.protect(lines->source, lines->target);
      add(*lines, reader.line_number(), pairs);
      ++count.left_out;
    }
    count.pairs = std::ssize(pairs);
    count.left_out -= count.pairs;
    reader.warn_about_repairs();
    return pairs;
  }

 private:
  void add(const data::LinePair& lines, int64_t number,
           std::vector<align::NumberedPair>& pairs) const {
    const int64_t limit = model_.experiment.data.max_length;
    SourcePieces source = cut_source(model_, lines.source, limit, number);
    text::Beginning target = text::encode_beginning(lines.target, *model_.target, limit);
    if (source.dropped > 0 || target.cut || is_empty(source.line) || target.ids.empty()) return;
    pairs.push_back({std::move(source.line.ids), std::move(target.ids)});
  }

  const LoadedModel& model_;
  SourceFile source_;
  std::string target_;
  data::PairProtection protection_;
};

/// Writes rows of the table; skips pieces with spaces, which the line format cannot hold.
class LexiconWriter {
 public:
  LexiconWriter(const std::filesystem::path& path, const text::Tokenizer& target)
      : output_(path), target_(target) {}

  void add(const std::string& source, const std::vector<align::LexiconEntry>& row) {
    if (!is_one_word(source)) return;
    for (const align::LexiconEntry& entry : row) {
      const std::string& target = target_.piece(entry.target);
      if (entry.target < text::kSpecialSymbols || !is_one_word(target)) continue;
      output_.write_line(fmt::format("{} {} {:.6g}", target, source, entry.probability));
      ++count_;
    }
  }

  int64_t commit() {
    output_.commit();
    return count_;
  }

 private:
  static bool is_one_word(std::string_view piece) {
    return piece.find_first_of(" \r\n") == std::string_view::npos;
  }

  OutputFile output_;
  const text::Tokenizer& target_;
  int64_t count_ = 0;
};

}  // namespace

LexiconCount make_lexicon(const LexiconRequest& request) {
  const LoadedModel model = load_model(request.model, torch::kCPU);
  LexiconWriter writer(request.output, *model.target);
  LexiconCount count;
  const auto pairs = LexiconPairs(model, request).read(count);
  if (pairs.empty()) {
    throw DataError(fmt::format(
        "{} and {} have no usable pair: all {} have a side that is empty or longer than {} pieces "
        "(data.max_length)",
        request.source, request.target, count.left_out, model.experiment.data.max_length));
  }
  align::LexiconOptions options;
  options.sources = model.source->size();
  options.targets = model.target->size();
  const align::Lexicon lexicon = align::learn_lexicon(pairs, options);
  writer.add(decode::kNoSource, lexicon.frequency);
  for (text::TokenId source = text::kSpecialSymbols; source < model.source->size(); ++source) {
    const std::string& piece = model.source->piece(source);
    if (piece == decode::kNoSource) continue;  // its rows would be confused with those above
    writer.add(piece, lexicon.by_source[static_cast<std::size_t>(source)]);
  }
  count.entries = writer.commit();
  return count;
}

}  // namespace attend::app
