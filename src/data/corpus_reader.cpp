#include "data/corpus_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "core/signal.h"
#include "data/encoded_side.h"
#include "data/guide_reader.h"
#include "data/pair_changes.h"
#include "data/pair_terms.h"
#include "text/placeholders.h"
#include "text/term_marks.h"

namespace attend::data {
namespace {

using Lines = std::vector<std::string>;

/// Consecutive examples of one text.
struct Portion {
  const CorpusFiles* files = nullptr;
  int64_t lines_before = 0;         // lines of the texts before this one
  std::vector<Lines> sources = {};  // by source side
  Lines target = {};
  std::vector<align::Links> links = {};  // that guide attention; empty without a file
  std::vector<align::Links> terms = {};  // of terms to mark; empty without a file
  std::vector<int64_t> lines = {};       // line numbers, counted over all texts
  int64_t bytes_read = 0;                // of all files of this text so far

  /// True if its lines are copies with marked terms.
  [[nodiscard]] bool is_copy() const { return !files->term_links.empty(); }
  [[nodiscard]] std::string place(std::size_t i) const {
    return fmt::format("{}:{}", files->source(), lines[i] - lines_before);
  }
  void add(Example example, int64_t line) {
    for (std::size_t side = 0; side < sources.size(); ++side)
      sources[side].push_back(std::move(example.sources[side]));
    target.push_back(std::move(example.target));
    lines.push_back(line);
  }
};

/// An empty portion.
Portion start_portion(const CorpusFiles& files, int64_t lines_before) {
  return {&files, lines_before, std::vector<Lines>(files.sources.size())};
}

/// The files of a training text.
struct TrainingFiles {
  const std::vector<CorpusFiles>& texts;
  const std::vector<std::string>& links;  // empty, or one for each of data.train
};

/// Reads the links of the pairs of one text, if there is a file.
class OptionalLinks {
 public:
  OptionalLinks(const std::string& path, const CorpusFiles& files) {
    if (!path.empty()) reader_.emplace(path, files);
  }

  void read(const Example& example, std::vector<align::Links>& links) {
    if (reader_) links.push_back(reader_->next(example));
  }
  void finish() {
    if (reader_) reader_->finish();
  }

 private:
  std::optional<GuideReader> reader_;
};

/// Receives the portions of a text in order.
using UsePortion = std::function<void(Portion)>;

/// Number of lines read, and lines with ill-formed UTF-8.
struct ReadLines {
  int64_t count = 0;
  int64_t lines = 0;               // without copies
  std::vector<int64_t> ends = {};  // last line of each text
  std::vector<Repairs> repairs = {};
};

/// Passes one text to `use` in portions of bounded size. Checks for a signal before each portion.
ReadLines read_portions(const TrainingFiles& all, std::size_t number, int64_t lines_before,
                        const UsePortion& use) {
  const CorpusFiles& files = all.texts[number];
  constexpr std::size_t kExamples = 4096;
  constexpr std::size_t kBytes = std::size_t{1} << 24;  // fewer examples if they are very long
  std::size_t bytes = 0;
  ExampleReader reader(files);
  // The texts with marked terms follow those of data.train, in the same order.
  const std::string path = all.links.empty() ? "" : all.links[number % all.links.size()];
  OptionalLinks guide(path, files), terms(files.term_links, files);
  Portion portion = start_portion(files, lines_before);
  const auto hand_out = [&] {
    stop_if_requested(kStopped);
    portion.bytes_read = reader.bytes_read();
    use(std::exchange(portion, start_portion(files, lines_before)));
    bytes = 0;
  };
  while (auto example = reader.next()) {
    guide.read(*example, portion.links);
    terms.read(*example, portion.terms);
    bytes += example->bytes();
    portion.add(std::move(*example), lines_before + reader.line_number());
    if (portion.lines.size() == kExamples || bytes >= kBytes) hand_out();
  }
  reader.check_encoding();
  guide.finish();
  terms.finish();
  if (!portion.lines.empty()) hand_out();
  return {.count = reader.line_number(), .repairs = reader.repairs()};
}

/// Passes all texts to `use`, one after another.
ReadLines for_each_portion(const TrainingFiles& files, const UsePortion& use) {
  ReadLines all;
  for (std::size_t i = 0; i < files.texts.size(); ++i) {
    ReadLines read = read_portions(files, i, all.count, use);
    all.count += read.count;
    all.ends.push_back(all.count);
    if (!files.texts[i].term_links.empty()) continue;  // a copy, whose text is known
    all.lines = all.count;
    std::ranges::move(read.repairs, std::back_inserter(all.repairs));
  }
  return all;
}

struct EncodedPortion {
  std::vector<EncodedSide> sources;
  EncodedSide target;
  std::vector<align::Links> links = {};  // as Portion::links, between the words that are encoded

  /// The tokens of the sources of example `i`.
  [[nodiscard]] std::vector<ParallelCorpus::Ids> sources_of(std::size_t i) const {
    std::vector<ParallelCorpus::Ids> ids;
    for (const EncodedSide& side : sources) ids.emplace_back(side.ids[i]);
    return ids;
  }
};

/// The piece id of a text's tag; nothing if the text has no tag.
std::optional<text::TokenId> tag_of(const CorpusFiles& files, const TokenizerPair& tokenizers) {
  if (files.tag.empty()) return std::nullopt;
  const auto tag = tokenizers.source.find(files.tag);
  if (tag) return tag;
  throw ConfigError(
      fmt::format("data.train: the source tokenizer has no piece for the tag {}; remove the tag, "
                  "or train a new "
                  "tokenizer (tokenizer.model: null, no training.init_from)",
                  files.tag));
}

/// Throws ConfigError if texts are protected and a tokenizer has no pieces for the placeholders.
void require_placeholders(const text::ProtectOptions& options, const TokenizerPair& tokenizers) {
  const auto require = [](const text::Tokenizer& tokenizer, const char* side) {
    if (!text::placeholder_ids(tokenizer).empty()) return;
    throw ConfigError(
        fmt::format("data.protect: the {} tokenizer has no pieces for the placeholders {} to {}; "
                    "leave data.protect out, or train a new tokenizer (tokenizer.model: null, no "
                    "training.init_from)",
                    side, text::placeholder(0), text::placeholder(text::kPlaceholders - 1)));
  };
  if (options.empty()) return;
  require(tokenizers.source, "source");
  require(tokenizers.target, "target");
}

/// Puts the tag before each source. The tag belongs to no word.
void put_tag(EncodedPortion& encoded, const std::optional<text::TokenId>& tag) {
  constexpr std::size_t kNoWord = std::numeric_limits<std::size_t>::max();
  if (!tag) return;
  for (EncodedSide& side : encoded.sources) {
    for (auto& ids : side.ids) ids.insert(ids.begin(), *tag);
    for (PieceWords& words : side.words) words.insert(words.begin(), kNoWord);
  }
}

/// Throws ConfigError if terms are marked and the source tokenizer has no pieces for the marks.
void require_term_symbols(const TermOptions& options, const TokenizerPair& tokenizers) {
  if (options.empty() || text::has_term_symbols(tokenizers.source)) return;
  throw ConfigError(fmt::format(
      "data.terms: the source tokenizer has no pieces for the marks {}; leave data.terms out, or "
      "train a new tokenizer (tokenizer.model: null, no training.init_from)",
      fmt::join(text::term_symbols(), ", ")));
}

/// The portion with placeholders and marked terms.
Portion changed(Portion portion, const PairChanges& changes) {
  for (std::size_t i = 0; i < portion.lines.size(); ++i) {
    const PairLinks links{portion.links.empty() ? nullptr : &portion.links[i],
                          portion.terms.empty() ? nullptr : &portion.terms[i]};
    changes.apply(portion.sources.front()[i], portion.target[i], links, portion.lines[i]);
  }
  return portion;
}

EncodedPortion encode(const Portion& portion, const TokenizerPair& tokenizers, int64_t max_length) {
  const bool with_words = !portion.links.empty();
  EncodedPortion encoded;
  for (const Lines& lines : portion.sources)
    encoded.sources.push_back(encode_side(tokenizers.source, lines, with_words, max_length));
  encoded.target = encode_side(tokenizers.target, portion.target, with_words, max_length);
  encoded.links = portion.links;
  put_tag(encoded, tag_of(*portion.files, tokenizers));
  return encoded;
}

/// Encodes portions in parallel and passes them to `use` in order.
class PortionEncoders {
 public:
  using Encode = std::function<EncodedPortion(const Portion&)>;
  using Use = std::function<void(const Portion&, const EncodedPortion&)>;

  PortionEncoders(int64_t threads, Encode encode, Use use)
      : threads_(static_cast<std::size_t>(threads)),
        encode_(std::move(encode)),
        use_(std::move(use)) {}

  void add(Portion portion) {
    if (threads_ <= 1) return use_(portion, encode_(portion));
    if (waiting_.size() == threads_) use_first();
    auto held = std::make_unique<const Portion>(std::move(portion));
    auto encoded = std::async(std::launch::async, encode_, std::cref(*held));
    waiting_.push_back({std::move(held), std::move(encoded)});
  }
  void finish() {
    while (!waiting_.empty()) use_first();
  }

 private:
  /// `encoded` is destroyed first: its destructor joins the thread that reads `portion`.
  struct Waiting {
    std::unique_ptr<const Portion> portion;
    std::future<EncodedPortion> encoded;
  };

  void use_first() {
    const EncodedPortion encoded = waiting_.front().encoded.get();
    use_(*waiting_.front().portion, encoded);
    waiting_.pop_front();
  }

  std::size_t threads_;
  Encode encode_;
  Use use_;
  std::deque<Waiting> waiting_;
};

/// The corpus being built.
struct GrowingCorpus {
  ParallelCorpus pairs;
  std::optional<AttentionGoals> goals;

  /// Adds example `i` of a portion.
  void add(const Portion& portion, const EncodedPortion& encoded, std::size_t i) {
    pairs.add(encoded.sources_of(i), encoded.target.ids[i], portion.lines[i]);
    if (goals)
      goals->add(encoded.links[i], encoded.sources.at(0).words[i], encoded.target.words[i]);
  }

  [[nodiscard]] ParallelCorpus finish() && {
    if (goals) pairs.set_goals(std::move(*goals));
    return std::move(pairs);
  }
};

GrowingCorpus start_corpus(const DataOptions& options, const TokenizerPair& tokenizers,
                           bool with_goals, const std::filesystem::path& folder) {
  const auto memory = make_chunks(options.storage, folder);
  const int64_t vocabulary = std::max(tokenizers.source.size(), tokenizers.target.size());
  GrowingCorpus corpus{ParallelCorpus(vocabulary, memory, count_sources(options)), {}};
  if (with_goals) corpus.goals.emplace(options.max_length, memory);
  return corpus;
}

/// Lengths of an example in pieces; marks and tags count only where stated.
struct SideLengths {
  std::size_t shortest = 0;
  std::size_t longest = 0;
  std::size_t longest_read = 0;  // including them
};

SideLengths lengths_of(const Portion& portion, const EncodedPortion& encoded, std::size_t i,
                       const PlainLength& plain) {
  const std::size_t tag = portion.files->tag.empty() ? 0 : 1;
  const std::size_t target = encoded.target.ids[i].size();
  SideLengths lengths{target, target, target};
  for (const EncodedSide& side : encoded.sources) {
    const std::size_t read = side.ids[i].size();
    const std::size_t source = (portion.is_copy() ? plain.of(side.ids[i]) : read) - tag;
    lengths = {std::min(lengths.shortest, source), std::max(lengths.longest, source),
               std::max(lengths.longest_read, read)};
  }
  return lengths;
}

/// Returns the counter of the reason to skip an example of these lengths, or null to keep it.
Skipped* reason_to_skip(TrainingText& text, const DataOptions& options,
                        const SideLengths& lengths) {
  const auto [shortest, longest, longest_read] = lengths;
  if (shortest == 0) return &text.empty;
  if (longest_read > static_cast<std::size_t>(options.max_length)) return &text.too_long;
  const bool uneven =
      static_cast<double>(longest) > options.max_ratio * static_cast<double>(shortest);
  return options.max_ratio > 0.0 && uneven ? &text.uneven : nullptr;
}

void add_portion(TrainingText& text, GrowingCorpus& corpus, const DataOptions& options,
                 const Portion& portion, const EncodedPortion& encoded, const PlainLength& plain) {
  for (std::size_t i = 0; i < portion.lines.size(); ++i) {
    const SideLengths lengths = lengths_of(portion, encoded, i, plain);
    if (Skipped* skipped = reason_to_skip(text, options, lengths)) {
      if (!portion.is_copy() && skipped->count++ == 0) skipped->first = portion.place(i);
    } else {
      corpus.add(portion, encoded, i);
    }
  }
}

void warn(const Skipped& skipped, const std::string& cause) {
  if (skipped.count == 0) return;
  log::warning("skipped {} training pair{} {} (first: {})", skipped.count,
               skipped.count == 1 ? "" : "s", cause, skipped.first);
}

}  // namespace

void report_skipped(const TrainingText& text, const DataOptions& options) {
  warn_about_repairs(text.repairs);
  warn(text.empty, "with an empty side");
  warn(text.too_long, fmt::format("longer than data.max_length={} pieces", options.max_length));
  warn(text.uneven, fmt::format("with a length ratio above data.max_ratio={}", options.max_ratio));
  if (text.corpus.size() > 0) return;
  throw DataError(fmt::format(
      "none of {} training pairs in {}{} is left: {} with an empty side, {} longer than "
      "data.max_length={}, {} with a length ratio above data.max_ratio={}",
      text.lines, options.train.empty() ? "data.train" : options.train.front().source(),
      options.train.size() > 1 ? " and other files" : "", text.empty.count, text.too_long.count,
      options.max_length, text.uneven.count, options.max_ratio));
}

TrainingText read_training_text(const DataOptions& options, const TokenizerPair& tokenizers,
                                const std::vector<std::string>& links,
                                const std::filesystem::path& folder, const Reading& reading) {
  const std::vector<CorpusFiles> texts = texts_of(options);
  for (const CorpusFiles& files : texts) (void)tag_of(files, tokenizers);
  require_placeholders(options.protect, tokenizers);
  require_term_symbols(options.terms, tokenizers);
  GrowingCorpus corpus = start_corpus(options, tokenizers, !links.empty(), folder);
  TrainingText text{ParallelCorpus(0)};
  const PairChanges changes(options);
  const PlainLength plain(tokenizers.source);
  const ReadingMeter meter(reading, "tokenising the text", texts);
  PortionEncoders encoders(
      reading.threads,
      [&](const Portion& portion) {
        if (!changes.has_any()) return encode(portion, tokenizers, options.max_length);
        return encode(changed(portion, changes), tokenizers, options.max_length);
      },
      [&](const Portion& portion, const EncodedPortion& encoded) {
        add_portion(text, corpus, options, portion, encoded, plain);
        const auto number = static_cast<std::size_t>(portion.files - texts.data());
        meter.report(portion.lines.back(), meter.bytes_before(number) + portion.bytes_read);
      });
  ReadLines read =
      for_each_portion({texts, links}, [&](Portion portion) { encoders.add(std::move(portion)); });
  encoders.finish();
  text.lines = read.lines;
  text.ends = std::move(read.ends);
  text.repairs = std::move(read.repairs);
  text.corpus = std::move(corpus).finish();
  text.corpus.end_plain_at(text.lines);
  report_skipped(text, options);
  return text;
}

}  // namespace attend::data
