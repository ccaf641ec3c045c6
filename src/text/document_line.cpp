#include "text/document_line.h"

#include <algorithm>
#include <utility>

#include "text/characters.h"

namespace attend::text {
namespace {

constexpr std::string_view kDigits = "0123456789";

/// Reads the marks at the beginning of a line.
class MarkReader {
 public:
  explicit MarkReader(std::string_view line) : rest_(line), size_(line.size()) { skip_blanks(); }

  /// The length in bytes of indentation and marks.
  std::size_t read() {
    while (skip_quotation() || skip_mark(heading()) || skip_mark(bullet())) {
    }
    skip_mark(number());
    for (const std::string_view box : {"[ ]", "[x]", "[X]"})
      skip_mark(rest_.starts_with(box) ? box.size() : 0);
    return size_ - rest_.size();
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && is_blank(utf8::first_character(rest_).code))
      rest_.remove_prefix(utf8::first_character(rest_).bytes);
  }

  bool skip_quotation() {
    if (!rest_.starts_with('>')) return false;
    rest_.remove_prefix(1);
    skip_blanks();
    return true;
  }

  /// Skips a mark of `bytes` bytes and the blanks after it. Skips nothing and returns false if
  /// there is no mark (0), or if a mark that needs a blank after it has none.
  bool skip_mark(std::size_t bytes) {
    if (bytes == 0 || bytes == rest_.size()) return false;
    const char32_t before = last_character(rest_.substr(0, bytes)).code;
    const bool blank = is_blank(utf8::first_character(rest_.substr(bytes)).code);
    if (!blank && !is_written_without_blanks(before)) return false;
    rest_.remove_prefix(bytes);
    skip_blanks();
    return true;
  }

  [[nodiscard]] std::size_t heading() const {
    const std::size_t marks = std::min(rest_.find_first_not_of('#'), rest_.size());
    return marks <= 6 ? marks : 0;
  }

  [[nodiscard]] std::size_t bullet() const {
    constexpr std::u32string_view kBullets = U"-*+•‣◦▪▫●○■□◆◇·・–—";
    if (rest_.empty()) return 0;
    const auto first = utf8::first_character(rest_);
    return kBullets.find(first.code) != std::u32string_view::npos ? first.bytes : 0;
  }

  /// The length in bytes of "1.", "2.1.", "(3)", "a)", "(iv)" or "1、".
  [[nodiscard]] std::size_t number() const {
    const std::size_t begin = rest_.starts_with('(') ? 1 : 0;
    std::size_t end = end_of_digits(begin);
    const bool digits = end > begin;
    if (!digits) end = end_of_letters(begin);
    if (end == begin) return 0;
    const std::string_view after = rest_.substr(end);
    if (after.starts_with(')')) return end + 1;
    if (!digits || begin > 0) return 0;
    for (const std::string_view mark : {".", "、", "．"})
      if (after.starts_with(mark)) return end + mark.size();
    return 0;
  }

  /// The end of groups of up to three digits, separated by periods; `begin` if there are none.
  [[nodiscard]] std::size_t end_of_digits(std::size_t begin) const {
    constexpr std::size_t kMost = 3;
    for (std::size_t group = begin;;) {
      const std::size_t end = std::min(rest_.find_first_not_of(kDigits, group), rest_.size());
      if (end == group || end - group > kMost) return begin;
      const bool more = end + 1 < rest_.size() && rest_[end] == '.' &&
                        kDigits.find(rest_[end + 1]) != std::string_view::npos;
      if (!more) return end;
      group = end + 1;
    }
  }

  /// The end of a letter or of a Roman numeral of up to four letters; `begin` if there is none.
  [[nodiscard]] std::size_t end_of_letters(std::size_t begin) const {
    constexpr std::size_t kMost = 4;
    const std::size_t roman = std::min(rest_.find_first_not_of("ivxIVX", begin), rest_.size());
    if (roman > begin && roman - begin <= kMost) return roman;
    const char letter = begin < rest_.size() ? rest_[begin] : ' ';
    const bool single = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    return begin + (single ? 1 : 0);
  }

  std::string_view rest_;
  std::size_t size_;
};

/// True if the sentence `after` follows the sentence `before` without a blank.
bool joins_without_blank(std::string_view before, std::string_view after) {
  return (!before.empty() && is_written_without_blanks(last_character(before).code)) ||
         (!after.empty() && is_written_without_blanks(utf8::first_character(after).code));
}

/// Two texts that follow each other.
struct Joint {
  std::string_view before;
  std::string_view after;
};

std::string_view between(std::string_view blanks, const Joint& source, const Joint& target) {
  const bool source_without = joins_without_blank(source.before, source.after);
  const bool target_without = joins_without_blank(target.before, target.after);
  if (source_without == target_without) return blanks;
  const bool spaces = blanks.find_first_not_of(' ') == std::string_view::npos;
  if (target_without) return spaces ? "" : blanks;
  return blanks.empty() || blanks == "\u3000" ? " " : blanks;
}

}  // namespace

std::string_view DocumentLine::sentence(std::size_t index) const {
  const utf8::Span& span = sentences[index];
  return std::string_view(text).substr(span.begin, span.end - span.begin);
}

std::size_t leading_marks(std::string_view line) {
  return MarkReader(line).read();
}

DocumentLine cut_line(std::string line, const SentenceSplitter& splitter) {
  DocumentLine cut{.text = std::move(line), .sentences = {}};
  const std::size_t begin = leading_marks(cut.text);
  const std::string_view text = std::string_view(cut.text).substr(begin);
  for (const utf8::Span& span : splitter.sentences(text)) {
    if (has_letter(text_of(text, span)))
      cut.sentences.push_back({begin + span.begin, begin + span.end});
  }
  return cut;
}

std::string join_line(const DocumentLine& line, const std::vector<std::string>& translations) {
  const std::string_view text = line.text;
  std::string joined;
  std::size_t end = 0;
  for (std::size_t i = 0; i < line.sentences.size(); ++i) {
    const std::size_t begin = line.sentences[i].begin;
    const std::string_view frame = text.substr(end, begin - end);
    const bool blank = trimmed(frame, {0, frame.size()}).begin == frame.size();
    joined += i > 0 && blank ? between(frame, {line.sentence(i - 1), line.sentence(i)},
                                       {translations[i - 1], translations[i]})
                             : frame;
    joined += translations[i];
    end = line.sentences[i].end;
  }
  return joined.append(text.substr(end));
}

}  // namespace attend::text
