#include "app/translate/translate_lines.h"

#include <fmt/format.h>

#include <optional>

#include "app/lines/input_lines.h"
#include "app/lines/likeness_warning.h"
#include "app/terms/line_protection.h"
#include "app/translate/unknown_words.h"
#include "core/checksum.h"
#include "core/error.h"
#include "core/excerpt.h"
#include "core/first_few.h"
#include "core/log.h"
#include "core/option_name.h"
#include "core/signal.h"
#include "decode/length_batches.h"
#include "decode/search/no_output.h"
#include "runtime/side_by_side.h"

namespace attend::app {

namespace {

/// Warns about lines that are too long: names the first few, then counts.
class LongLineWarnings {
 public:
  explicit LongLineWarnings(LongLines policy) : policy_(policy) {}

  void add(const SourceLine& line) {
    if (!seen_.add()) return;
    log::warning("line {} has {}{} pieces, more than the model's limit of {} (data.max_length); {}",
                 line.number, line.counted ? "" : "over ", line.limit + line.dropped, line.limit,
                 consequence());
  }

  void finish() const {
    if (seen_.has_unnamed())
      log::warning("{} lines were too long; {}", seen_.count(), consequence());
  }

 private:
  [[nodiscard]] std::string consequence() const {
    return policy_ == LongLines::kSkip
               ? fmt::format("its translation is empty ({} skip)", option_name("long-lines"))
               : "the rest is not translated";
  }

  LongLines policy_;
  FirstFew seen_;
};

/// Warns about translations to which protected texts were added, or from which some were removed.
class LostTextWarnings {
 public:
  void add(const SourceLine& line, const Translation& translation) {
    if (translation.keeps_protected || !lost_.add()) return;
    log::warning(
        "line {}: the model did not write every protected text as often as the line has it; "
        "missing ones are at the end of the translation: \"{}\"",
        line.number, excerpt(translation.line.text));
  }
  void finish() const {
    if (lost_.has_unnamed())
      log::warning("{} translations have protected texts at their end or lost some", lost_.count());
  }

 private:
  FirstFew lost_;
};

/// Ends a search after a signal.
class StopOnSignal final : public decode::SearchControl {
 public:
  bool is_cancelled() override { return requested_stop() != 0; }
};

/// Moves the lines from source to sink.
class LinePipeline {
 public:
  LinePipeline(LineSource& lines, const Translator& translator,
               const TranslateLinesOptions& options, TranslationSink& sink)
      : lines_(lines),
        terms_(options.terms, translator.first()),
        translator_(translator),
        options_(options),
        sink_(sink),
        meter_(options.report, "translating"),
        warnings_(options.long_lines),
        likeness_(translator.first()),
        batch_size_(decode::batch_size_of(options.search.decoding)),
        windows_(translator.first().model->device().is_cpu() ? runtime::threads() : 1) {
    if (options.risk) risk_.emplace(*options.risk);
  }

  TranslatedCount run() {
    while (translate_round()) {
    }
    lines_.warn_about_changes();
    warnings_.finish();
    lost_texts_.finish();
    count_.input_lines = lines_.place().lines;
    count_.input_checksum = checksum_;
    return count_;
  }

 private:
  struct Window {
    std::vector<SourceLine> lines;
    std::vector<std::vector<Translation>> results;  // by line
    InputBlock block = {};
  };
  /// Lines that are translated together.
  struct Batch {
    Window* window = nullptr;
    std::vector<std::size_t> places;
  };

  // Returns false at the end. Checks for a signal itself, because empty lines need no search.
  bool translate_round() {
    stop_if_requested(stopped());
    std::vector<Window> round = read_round();
    meter_.read(lines_.place());
    translate(round);
    meter_.pass(lines_.place());
    for (const Window& window : round) emit(window);
    return !round.empty();
  }

  // Reads a window per thread, so that all threads have work until shortly before the round ends.
  std::vector<Window> read_round() {
    std::vector<Window> round;
    for (int64_t i = 0; i < windows_; ++i) {
      if (!round.empty() && lines_.would_block()) break;
      Window window = read_window();
      if (window.lines.empty()) break;
      round.push_back(std::move(window));
    }
    return round;
  }

  // The next block of the shard to translate. At the end of the input, a block without lines.
  Window read_window() {
    while (true) {
      const bool ours = !options_.shard || options_.shard->has(next_block_);
      const bool done = ours && blocks_done_ < options_.blocks_done;
      Window window = read_block(ours && !done);
      if (window.block.lines == 0 || (ours && !done)) return window;
      stop_if_requested(stopped());
      if (!done) continue;
      ++blocks_done_;
      sink_.skip_block(window.block);
      meter_.pass(lines_.place());
    }
  }

  // Blocks, and so batches, do not depend on the number of threads.
  Window read_block(bool wanted) {
    const int64_t most = batch_size_.window();
    constexpr std::size_t kMostBytes = std::size_t{1} << 23;  // bounds blocks of very long lines
    std::size_t bytes = 0;
    Window window;
    window.block.number = next_block_++;
    while (window.block.lines < most && bytes < kMostBytes) {
      if (!options_.shard && window.block.lines > 0 && lines_.would_block()) break;
      auto line = lines_.next();
      if (!line) break;
      bytes += line->text.size();
      ++window.block.lines;
      if (options_.shard) add_to_input_checksum(*line);
      if (!wanted) continue;
      likeness_.add(line->text, line->number);
      window.lines.push_back(
          translator_.prepare(line->text, line->number, line->prefix, terms_.marks(line->text)));
      window.lines.back().sentence.random_stream = static_cast<uint64_t>(lines_.place().lines);
      check_prefix(*line, window.lines.back());
      terms_.set(line->text, line->constraints, window.lines.back());
      if (window.lines.back().dropped > 0) warnings_.add(window.lines.back());
    }
    window.results.assign(window.lines.size(), std::vector<Translation>(1));
    window.block.end_line = lines_.place().lines;
    window.block.checksum = checksum_;
    return window;
  }

  void check_prefix(const InputLine& line, const SourceLine& read) const {
    if (line.prefix.empty() || read.protection == nullptr) return;
    if (const std::string problem = read.protection->problem(line.prefix); !problem.empty())
      throw DataError(options_.prefixes, line.number,
                      fmt::format("\"{}\" {}", excerpt(line.prefix), problem));
  }

  void add_to_input_checksum(const InputLine& line) {
    std::string text = line.text + "\n";
    for (const std::string& beside : {line.prefix, line.constraints})
      text += beside.empty() ? "" : beside + "\n";
    checksum_ = add_to_checksum(checksum_, text.data(), text.size());
  }

  [[nodiscard]] bool is_translated(const SourceLine& line) const {
    return !line.empty() && (line.dropped == 0 || options_.long_lines == LongLines::kTruncate);
  }

  void translate(std::vector<Window>& round) {
    std::vector<Batch> batches;
    for (Window& window : round) add_batches(window, batches);
    if (windows_ > 1) {
      runtime::run_side_by_side(batches.size(), [&](std::size_t i) { translate(batches[i]); });
    } else {
      for (const Batch& batch : batches) translate(batch);
    }
  }

  void add_batches(Window& window, std::vector<Batch>& batches) {
    std::vector<std::size_t> places;
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < window.lines.size(); ++i) {
      if (!is_translated(window.lines[i])) {
        meter_.add(1);
        continue;
      }
      places.push_back(i);
      lengths.push_back(window.lines[i].line.pieces.size());
    }
    for (auto& batch : decode::length_batches(lengths, batch_size_)) {
      for (auto& i : batch) i = places[i];
      batches.push_back({&window, std::move(batch)});
    }
  }

  // Called by several threads at once.
  void translate(const Batch& batch) {
    std::vector<const SourceLine*> lines;
    for (const auto place : batch.places) lines.push_back(&batch.window->lines[place]);
    StopOnSignal control;
    try {
      auto translated = translator_.translate(lines, options_.search, &control);
      if (risk_) {
        for (auto& n_best : translated) n_best = risk_->rank(std::move(n_best));
      }
      if (options_.copy_unknown) copy_unknown(lines, translated);
      if (options_.kinds.any()) translator_.add_maps(lines, translated, options_.kinds);
      for (std::size_t i = 0; i < lines.size(); ++i)
        batch.window->results[batch.places[i]] = std::move(translated[i]);
      meter_.add(std::ssize(lines));
    } catch (const decode::SearchCancelled&) {
      throw Stopped(requested_stop(), stopped());
    } catch (const decode::NoOutput& error) {
      const SourceLine& line = *lines[static_cast<std::size_t>(error.sentence())];
      throw UserError(error.exit_code(), fmt::format("line {}: {}", line.number, error.what()));
    }
  }

  void copy_unknown(const std::vector<const SourceLine*>& lines,
                    std::vector<std::vector<Translation>>& translated) const {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for (Translation& translation : translated[i])
        copy_unknown_words(*lines[i], *translator_.first().target, *options_.copy_unknown,
                           translation);
    }
  }

  [[nodiscard]] std::string stopped() const {
    return fmt::format("stopped by a signal after {} lines", count_.lines);
  }

  void emit(const Window& window) {
    for (std::size_t i = 0; i < window.lines.size(); ++i) {
      lost_texts_.add(window.lines[i], window.results[i].front());
      sink_.add({window.lines[i], window.results[i]});
      ++count_.lines;
      count_.cut += window.results[i].front().finished ? 0 : 1;
    }
    if (options_.shard) sink_.end_block(window.block);
    sink_.flush();
  }

  LineSource& lines_;
  TermSetter terms_;
  const Translator& translator_;
  const TranslateLinesOptions& options_;
  TranslationSink& sink_;
  LineMeter meter_;
  LongLineWarnings warnings_;
  LostTextWarnings lost_texts_;
  LikenessWarning likeness_;
  std::optional<MinimumRisk> risk_;
  decode::BatchSize batch_size_;
  int64_t windows_;  // windows per round; 1: translate one batch at a time
  TranslatedCount count_;
  int64_t next_block_ = 0;
  int64_t blocks_done_ = 0;  // number skipped so far, at most options_.blocks_done
  uint64_t checksum_ = 0;    // of the input so far
};

class BestTexts final : public TranslationSink {
 public:
  void add(const TranslatedLine& line) override {
    texts_.push_back(line.translations.front().line.text);
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::vector<std::string> texts_;
};

}  // namespace

TranslatedCount translate_lines(LineReader& input, const Translator& translator,
                                const TranslateLinesOptions& options, TranslationSink& sink) {
  InputLines lines(input, options.prefixes, options.terms.constraints);
  return translate_lines(lines, translator, options, sink);
}

TranslatedCount translate_lines(LineSource& source, const Translator& translator,
                                const TranslateLinesOptions& options, TranslationSink& sink) {
  return LinePipeline(source, translator, options, sink).run();
}

std::vector<std::string> translate_file(const std::filesystem::path& path,
                                        const Translator& translator,
                                        const TranslateLinesOptions& options) {
  LineReader input(path);
  BestTexts texts;
  translate_lines(input, translator, options, texts);
  return texts.take();
}

}  // namespace attend::app
