#include "app/translate_lines.h"

#include <fmt/format.h>

#include <optional>

#include "app/length_batches.h"
#include "core/error.h"
#include "core/log.h"
#include "core/signal.h"

namespace attend::app {

namespace {

/// The input with the prefix of each line.
class PrefixedLines {
 public:
  PrefixedLines(LineReader& input, const std::filesystem::path& prefixes) : input_(input) {
    if (!prefixes.empty()) prefixes_.emplace(prefixes);
  }

  struct Line {
    std::string text;
    std::string prefix;
  };

  std::optional<Line> next() {
    auto text = input_.next();
    auto prefix = prefixes_ ? prefixes_->next() : std::nullopt;
    if (prefixes_ && text.has_value() != prefix.has_value()) report_line_counts();
    if (!text) return std::nullopt;
    return Line{std::move(*text), prefix.value_or("")};
  }

  [[nodiscard]] bool would_block() const { return input_.would_block(); }
  [[nodiscard]] int64_t number() const { return input_.line_number(); }

  void warn_about_repairs() const {
    attend::warn_about_repairs(input_);
    if (prefixes_) attend::warn_about_repairs(*prefixes_);
  }

 private:
  [[noreturn]] void report_line_counts() {
    while (input_.next()) {
    }
    while (prefixes_->next()) {
    }
    throw DataError(
        fmt::format("{} has {} lines, but {} has {}: there must be a prefix (or an "
                    "empty line) for each line to translate",
                    input_.path().string(), input_.line_number(), prefixes_->path().string(),
                    prefixes_->line_number()));
  }

  LineReader& input_;
  std::optional<LineReader> prefixes_;
};

/// Says which lines are too long: the first few by name, then how many.
class LongLineWarnings {
 public:
  LongLineWarnings(LongLines policy, int64_t limit) : policy_(policy), limit_(limit) {}

  void add(const SourceLine& line) {
    constexpr int64_t kNamed = 5;
    if (++count_ > kNamed) return;
    log::warning("line {} has {}{} pieces, more than the model's limit of {} (data.max_length); {}",
                 line.number, line.counted ? "" : "over ", limit_ + line.dropped, limit_,
                 consequence());
  }

  void finish() const {
    if (count_ > 1) log::warning("{} lines were too long; {}", count_, consequence());
  }

 private:
  [[nodiscard]] const char* consequence() const {
    return policy_ == LongLines::kSkip ? "translated to nothing (--long-lines skip)"
                                       : "the rest is not translated";
  }

  LongLines policy_;
  int64_t limit_;
  int64_t count_ = 0;
};

/// The whole way of the lines from input to sink.
class LinePipeline {
 public:
  LinePipeline(LineReader& input, const Translator& translator,
               const TranslateLinesOptions& options, TranslationSink& sink)
      : lines_(input, options.prefixes),
        translator_(translator),
        options_(options),
        sink_(sink),
        warnings_(options.long_lines, translator.first().experiment.data.max_length) {}

  TranslatedCount run() {
    while (translate_window()) {
    }
    lines_.warn_about_repairs();
    warnings_.finish();
    return count_;
  }

 private:
  using Window = std::vector<SourceLine>;
  using Results = std::vector<std::vector<Translation>>;

  // False at the end. A window is gone before the next one is read.
  bool translate_window() {
    const Window window = read_window();
    emit(window, translate(window));
    return !window.empty();
  }

  Window read_window() {
    const auto most =
        static_cast<std::size_t>(options_.search.decoding.batch_size * kWindowBatches);
    constexpr std::size_t kMostBytes = std::size_t{1} << 23;  // very long lines come in few
    std::size_t bytes = 0;
    Window window;
    while (window.size() < most && bytes < kMostBytes) {
      if (!window.empty() && lines_.would_block()) break;
      auto line = lines_.next();
      if (!line) break;
      bytes += line->text.size();
      window.push_back(translator_.prepare(line->text, lines_.number(), line->prefix));
      if (window.back().dropped > 0) warnings_.add(window.back());
    }
    return window;
  }

  [[nodiscard]] bool is_translated(const SourceLine& line) const {
    return !line.empty() && (line.dropped == 0 || options_.long_lines == LongLines::kTruncate);
  }

  Results translate(const Window& window) const {
    std::vector<std::size_t> places;
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < window.size(); ++i) {
      if (!is_translated(window[i])) continue;
      places.push_back(i);
      lengths.push_back(window[i].line.pieces.size());
    }
    Results results(window.size(), std::vector<Translation>(1));
    for (const auto& batch : length_batches(lengths, options_.search.decoding.batch_size)) {
      if (const int signal = requested_stop(); signal != 0) {
        throw Stopped(signal, fmt::format("stopped; {} lines were translated", count_.lines));
      }
      std::vector<const SourceLine*> lines;
      for (const auto i : batch) lines.push_back(&window[places[i]]);
      auto translated = translator_.translate(lines, options_.search);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        results[places[batch[i]]] = std::move(translated[i]);
      }
    }
    return results;
  }

  void emit(const Window& window, const Results& results) {
    for (std::size_t i = 0; i < window.size(); ++i) {
      sink_.add({window[i], results[i]});
      ++count_.lines;
      count_.cut += results[i].front().finished ? 0 : 1;
    }
    sink_.flush();
  }

  PrefixedLines lines_;
  const Translator& translator_;
  const TranslateLinesOptions& options_;
  TranslationSink& sink_;
  LongLineWarnings warnings_;
  TranslatedCount count_;
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
  return LinePipeline(input, translator, options, sink).run();
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
