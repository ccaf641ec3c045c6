#include "app/align/numbered_text.h"

#include <algorithm>
#include <unordered_map>

#include "app/align/word_link_output.h"
#include "core/log.h"
#include "core/signal.h"
#include "core/utf8.h"
#include "text/lowercase.h"

namespace attend::app {

namespace {

/// Numbers the stems of one side of a text in order of first occurrence.
class StemNumbers {
 public:
  explicit StemNumbers(int64_t letters) : letters_(letters) {}

  std::vector<int32_t> number(std::string_view line, const std::vector<utf8::Span>& words) {
    std::vector<int32_t> numbers;
    for (const utf8::Span& word : words)
      numbers.push_back(number(line.substr(word.begin, word.end - word.begin)));
    return numbers;
  }

  int32_t number(std::string_view word) {
    const auto next = static_cast<int32_t>(numbers_.size());
    return numbers_.emplace(stem(word, letters_), next).first->second;
  }

  [[nodiscard]] int32_t size() const { return static_cast<int32_t>(numbers_.size()); }

 private:
  int64_t letters_;
  std::unordered_map<std::string, int32_t> numbers_;
};

/// A line in lower case and its words.
struct LowerLine {
  explicit LowerLine(const std::string& line)
      : text(text::Lowercased(line).text()), words(utf8::word_spans(text)) {}

  std::string text;
  std::vector<utf8::Span> words;
};

class TextNumbering {
 public:
  explicit TextNumbering(const std::vector<int64_t>& stems) : text_{{}, {}} {
    text_.readings.resize(stems.size());
    for (const int64_t letters : stems) {
      sources_.emplace_back(letters);
      targets_.emplace_back(letters);
    }
  }

  void add(data::LinePair lines) {
    const LowerLine source(lines.source);
    const LowerLine target(lines.target);
    const auto longest = std::max(std::ssize(source.words), std::ssize(target.words));
    const bool too_long = longest > NumberedText::kMostWords;
    const bool used = !too_long && !source.words.empty() && !target.words.empty();
    too_long_ += too_long ? 1 : 0;
    for (std::size_t i = 0; i < text_.readings.size(); ++i) {
      align::NumberedPair& pair = text_.readings[i].pairs.emplace_back();
      if (!used) continue;
      pair.source = sources_[i].number(source.text, source.words);
      pair.target = targets_[i].number(target.text, target.words);
    }
    text_.lines.push_back(std::move(lines));
  }

  void add(const WordLinkCount& known) {
    for (std::size_t i = 0; i < text_.readings.size(); ++i) {
      text_.readings[i].known.push_back(
          {sources_[i].number(known.source), targets_[i].number(known.target), known.count});
    }
  }

  NumberedText finish() {
    for (std::size_t i = 0; i < text_.readings.size(); ++i) {
      text_.readings[i].sources = sources_[i].size();
      text_.readings[i].targets = targets_[i].size();
    }
    if (too_long_ > 0) {
      log::warning("no links for pairs with more than {} words on a side: {} of {}",
                   NumberedText::kMostWords, too_long_, text_.lines.size());
    }
    return std::move(text_);
  }

 private:
  NumberedText text_;
  std::vector<StemNumbers> sources_;
  std::vector<StemNumbers> targets_;
  int64_t too_long_ = 0;
};

}  // namespace

std::string_view stem(std::string_view word, int64_t letters) {
  std::size_t end = 0;
  for (int64_t i = 0; i < letters && end < word.size(); ++i)
    end += utf8::first_character(word.substr(end)).bytes;
  return letters == 0 ? word : word.substr(0, end);
}

NumberedText read_numbered_text(const data::PairFiles& files, const std::vector<int64_t>& stems,
                                const std::vector<WordLinkCount>& known) {
  data::PairReader reader(files);
  TextNumbering numbering(stems);
  while (auto lines = reader.next()) {
    stop_if_requested("stopped by a signal; nothing was written");
    check_words(*lines, files.source, reader.line_number());
    numbering.add(std::move(*lines));
  }
  reader.warn_about_repairs();
  for (const WordLinkCount& count : known) numbering.add(count);
  return numbering.finish();
}

}  // namespace attend::app
