#include "text/markup/markdown_marks.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "text/characters.h"
#include "text/markup/angle_mark.h"
#include "text/markup/entities.h"

namespace attend::text {
namespace {

bool is_punctuation(char32_t code) {
  const auto character = static_cast<UChar32>(code);
  return u_ispunct(character) != 0 || (U_GET_GC_MASK(character) & U_GC_S_MASK) != 0;
}

std::size_t run_at(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(text[at], at), text.size()) - at;
}

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](auto one) { return text.starts_with(one); });
}

/// The length of "<https://...>" or "<name@host>" at the beginning of `text`; 0 for other text.
std::size_t autolink_size(std::string_view text) {
  const std::size_t end = text.find_first_of(" \t<>", 1);
  if (!text.starts_with('<') || end == std::string_view::npos || text[end] != '>') return 0;
  const std::string_view inside = text.substr(1, end - 1);
  const std::size_t colon =
      inside.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
  const bool scheme = colon != std::string_view::npos && colon > 1 && inside[colon] == ':';
  const std::size_t at = inside.find('@');
  const bool mail = at != std::string_view::npos && at > 0 && at + 1 < inside.size();
  return scheme || mail ? end + 1 : 0;
}

/// The length of a URL without angle brackets (GitHub's extension), without punctuation at its end.
std::size_t url_size(std::string_view text) {
  if (!begins_with_any(text, {"http://", "https://", "ftp://", "www."})) return 0;
  std::size_t end = std::min(text.find_first_of(" \t<|`\\"), text.size());
  while (end > 0) {
    const std::string_view url = text.substr(0, end);
    const bool unbalanced =
        url.back() == ')' && std::ranges::count(url, ')') > std::ranges::count(url, '(');
    if (!unbalanced && std::string_view("?!.,:;*_~'\"]").find(url.back()) == std::string_view::npos)
      break;
    --end;
  }
  return end;
}

/// The length of "[^1]", or of "[^1]:" at the beginning of a line; 0 if there is none.
std::size_t footnote_size(std::string_view text, bool begins_line) {
  if (!text.starts_with("[^")) return 0;
  const std::size_t end = text.find_first_of(" \t[]", 2);
  if (end == std::string_view::npos || text[end] != ']') return 0;
  return end + (begins_line && text.substr(end + 1).starts_with(':') ? 2 : 1);
}

/// The length of "(url "title")", with balanced parentheses; 0 if there is none.
std::size_t destination_size(std::string_view text) {
  constexpr std::size_t kLongest = 1024;
  if (!text.starts_with('(')) return 0;
  int depth = 0;
  for (std::size_t i = 0; i < std::min(text.size(), kLongest); ++i) {
    if (is_markdown_escape(text.substr(i))) {
      ++i;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')' && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

/// The length of the rest of a link after its "]": a destination, or "[reference]".
std::size_t link_end_size(std::string_view text) {
  if (const std::size_t destination = destination_size(text); destination > 0) return destination;
  if (!text.starts_with('[')) return 0;
  const std::size_t end = text.find_first_of("[]", 1);
  return end == std::string_view::npos || text[end] == '[' ? 0 : end + 1;
}

class MarkFinder {
 public:
  MarkFinder(std::string_view line, std::size_t begin) : line_(line), begin_(begin) {
    for (std::size_t i = line.find('`'); i != std::string_view::npos; i = line.find('`', i)) {
      const std::size_t run = run_at(line, i);
      last_ticks_[run] = i;
      i += run;
    }
  }

  MarkdownMarks find() {
    const bool table = rest(begin_).starts_with('|');
    for (std::size_t at = begin_; at < line_.size();) at += step(at, table);
    return std::move(marks_);
  }

 private:
  /// A delimiter run or a "[" that may begin an element.
  struct Opener {
    char character = '[';
    std::size_t begin = 0;
    std::size_t size = 1;
    bool can_close = false;
  };
  struct Run {
    char character = '*';
    std::size_t begin = 0;
    std::size_t size = 0;
    bool can_open = false;
    bool can_close = false;
  };

  [[nodiscard]] std::string_view rest(std::size_t at) const { return line_.substr(at); }

  /// Reads the mark or character at `at`. Returns its length in bytes.
  std::size_t step(std::size_t at, bool table) {
    if (is_markdown_escape(rest(at))) return 2;
    if (const std::size_t size = single_size(at); size > 0) {
      marks_[at] = {.bytes = size};
      return size;
    }
    switch (line_[at]) {
      case '*':
      case '_':
      case '~':
        return add_run(at);
      case '!':
      case '[':
        return add_opening_bracket(at);
      case ']':
        return add_closing_bracket(at);
      case '|':
        if (table) marks_[at] = {.bytes = 1, .separates = true};
        return 1;
      case '<':
        return std::max<std::size_t>(read_angle_mark(rest(at), Markup::html, false).bytes, 1);
      case '`':
        return run_at(line_, at);
      default:
        return 1;
    }
  }

  /// The length of code, a URL or a footnote at `at`; 0 if there is none.
  std::size_t single_size(std::size_t at) {
    const char c = line_[at];
    if (c == '`') return code_size(at);
    if (c == '<') return autolink_size(rest(at));
    if (c == '[') return footnote_size(rest(at), at == begin_);
    const bool inside_word = at > begin_ && is_letter(last_character(line_.substr(0, at)).code);
    return inside_word ? 0 : url_size(rest(at));
  }

  std::size_t code_size(std::size_t at) {
    const std::size_t run = run_at(line_, at);
    const auto last = last_ticks_.find(run);
    if (last == last_ticks_.end() || last->second <= at) return 0;
    std::size_t end = line_.find('`', at + run);
    while (run_at(line_, end) != run) end = line_.find('`', end + run_at(line_, end));
    return end + run - at;
  }

  std::size_t add_opening_bracket(std::size_t at) {
    const std::size_t size = line_[at] == '!' ? 2 : 1;
    if (size == 2 && !rest(at + 1).starts_with('[')) return 1;
    openers_.push_back({.character = '[', .begin = at, .size = size});
    return size;
  }

  std::size_t add_closing_bracket(std::size_t at) {
    const auto opener =
        std::ranges::find(openers_.rbegin(), openers_.rend(), '[', &Opener::character);
    if (opener == openers_.rend()) {
      openers_.clear();
      return 1;
    }
    const std::size_t size = 1 + link_end_size(rest(at + 1));
    add_pair({opener->begin, opener->begin + opener->size}, {at, at + size}, false);
    openers_.erase(opener.base() - 1, openers_.end());
    return size;
  }

  std::size_t add_run(std::size_t at) {
    const std::size_t size = run_at(line_, at);
    const char32_t before = at > begin_ ? last_character(line_.substr(0, at)).code : U' ';
    const std::string_view rest_after = rest(at + size);
    const char32_t after = rest_after.empty() ? U' ' : utf8::first_character(rest_after).code;
    const bool left =
        !is_blank(after) && (!is_punctuation(after) || is_blank(before) || is_punctuation(before));
    const bool right =
        !is_blank(before) && (!is_punctuation(before) || is_blank(after) || is_punctuation(after));
    const bool underscore = line_[at] == '_';
    Run run{.character = line_[at],
            .begin = at,
            .size = size,
            .can_open = left && (!underscore || !right || is_punctuation(before)),
            .can_close = right && (!underscore || !left || is_punctuation(after))};
    if (run.can_close) close(run);
    if (run.can_open && run.size > 0)
      openers_.push_back({run.character, run.begin, run.size, run.can_close});
    return size;
  }

  /// Closes the elements that the run can close, and removes the marks used from the run.
  void close(Run& run) {
    while (run.size > 0) {
      const std::size_t place = opener_of(run);
      if (place == openers_.size()) return;
      Opener& opener = openers_[place];
      const std::size_t size = std::min(opener.size, run.size);
      opener.size -= size;
      const std::size_t begin = opener.begin + opener.size;
      add_pair({begin, begin + size}, {run.begin, run.begin + size}, true);
      run.begin += size;
      run.size -= size;
      openers_.resize(place + (opener.size > 0 ? 1 : 0));
    }
  }

  /// The index of the opener that the run closes; openers_.size() if there is none.
  [[nodiscard]] std::size_t opener_of(const Run& run) const {
    constexpr std::size_t kMost = 100;  // openers to look at
    for (std::size_t i = 0; i < std::min(openers_.size(), kMost); ++i) {
      const std::size_t place = openers_.size() - 1 - i;
      const Opener& opener = openers_[place];
      if (opener.character == '[') break;
      if (opener.character != run.character) continue;
      const bool both_ways = opener.can_close || run.can_open;
      const bool thirds = opener.size % 3 == 0 && run.size % 3 == 0;
      if (both_ways && (opener.size + run.size) % 3 == 0 && !thirds) continue;
      if (run.character == '~' && opener.size != run.size) continue;
      return place;
    }
    return openers_.size();
  }

  void add_pair(const utf8::Span& open, const utf8::Span& close, bool needs_text) {
    const std::string element = std::to_string(open.begin);
    marks_[open.begin] = {.bytes = open.end - open.begin,
                          .role = TagRole::kOpen,
                          .element = element,
                          .needs_text = needs_text};
    marks_[close.begin] = {.bytes = close.end - close.begin,
                           .role = TagRole::kClose,
                           .element = element,
                           .needs_text = needs_text};
  }

  std::string_view line_;
  std::size_t begin_;
  std::unordered_map<std::size_t, std::size_t> last_ticks_;  // by size: the last run of backticks
  std::vector<Opener> openers_;
  MarkdownMarks marks_;
};

}  // namespace

bool is_markdown_escape(std::string_view text) {
  if (text.size() < 2 || text[0] != '\\') return false;
  const auto next = static_cast<unsigned char>(text[1]);
  return next < 0x80 && std::string_view("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~").find(text[1]) !=
                            std::string_view::npos;
}

MarkdownMarks find_markdown_marks(std::string_view line, std::size_t begin) {
  return MarkFinder(line, begin).find();
}

}  // namespace attend::text
