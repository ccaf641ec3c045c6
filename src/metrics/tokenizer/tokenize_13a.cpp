#include "metrics/tokenizer/tokenize_13a.h"

namespace attend::metrics {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_period_or_comma(char c) {
  return c == '.' || c == ',';
}
bool is_between(char c, char first, char last) {
  return c >= first && c <= last;
}

bool is_separate_punctuation(char c) {
  return is_between(c, '{', '~') || is_between(c, '[', '`') || is_between(c, '!', '&') ||
         is_between(c, '(', '+') || is_between(c, ':', '@') || c == '/';
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string separate_punctuation(std::string_view line) {
  std::string out;
  out.reserve(line.size() + 16);
  for (const char c : line) {
    if (is_separate_punctuation(c)) {
      out.append({' ', c, ' '});
    } else {
      out += c;
    }
  }
  return out;
}

// Writes every pair of bytes for which `matches` holds as `replacement(first, second)`. As in a
// regular expression's global replacement, a byte takes part in one match only.
template <class Matches, class Replacement>
std::string replace_pairs(std::string_view line, Matches matches, Replacement replacement) {
  std::string out;
  out.reserve(line.size() + 16);
  std::size_t i = 0;
  while (i < line.size()) {
    if (i + 1 < line.size() && matches(line[i], line[i + 1])) {
      out += replacement(line[i], line[i + 1]);
      i += 2;
    } else {
      out += line[i++];
    }
  }
  return out;
}

std::string space_second(char first, char second) {
  return {first, ' ', second, ' '};
}
std::string space_first(char first, char second) {
  return {' ', first, ' ', second};
}

}  // namespace

std::string separate_western_punctuation(std::string_view line) {
  std::string out = separate_punctuation(line);
  out = replace_pairs(
      out, [](char a, char b) { return !is_digit(a) && is_period_or_comma(b); }, space_second);
  out = replace_pairs(
      out, [](char a, char b) { return is_period_or_comma(a) && !is_digit(b); }, space_first);
  return replace_pairs(
      out, [](char a, char b) { return is_digit(a) && b == '-'; }, space_second);
}

std::string tokenize_13a(std::string_view line) {
  std::string text(line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  return separate_western_punctuation(" " + text + " ");
}

}  // namespace attend::metrics
