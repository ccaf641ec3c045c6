#include "metrics/tokenizer/tokenize_13a.h"

#include "metrics/tokenizer/pair_rules.h"
#include "metrics/tokenizer/replace_all.h"

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

}  // namespace

void unescape_entities(std::string& text) {
  if (text.find('&') == std::string::npos) return;
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
}

std::string separate_ascii_punctuation(std::string_view line) {
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

std::string separate_periods_and_dashes(std::string_view line) {
  std::string out = space_pairs(line, PairSpacing::kAroundSecond, [](char a, char b) {
    return !is_digit(a) && is_period_or_comma(b);
  });
  out = space_pairs(std::string_view(out), PairSpacing::kAroundFirst,
                    [](char a, char b) { return is_period_or_comma(a) && !is_digit(b); });
  return space_pairs(std::string_view(out), PairSpacing::kAroundSecond,
                     [](char a, char b) { return is_digit(a) && b == '-'; });
}

std::string separate_western_punctuation(std::string_view line) {
  return separate_periods_and_dashes(separate_ascii_punctuation(line));
}

std::string tokenize_13a(std::string_view line) {
  std::string text(line);
  replace_all(text, "<skipped>", "");
  unescape_entities(text);
  return separate_western_punctuation(" " + text + " ");
}

}  // namespace attend::metrics
