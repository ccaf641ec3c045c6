#include "text/placeholders.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "text/characters.h"

namespace attend::text {
namespace {

constexpr std::string_view kOpen = "\u27E6";

template <class Texts>
bool is_among(std::string_view text, const Texts& texts) {
  return std::ranges::find(texts, text) != std::ranges::end(texts);
}

/// The number of the placeholder that `text` begins with.
std::optional<std::size_t> leading_placeholder(std::string_view text) {
  for (std::size_t number = 0; number < kPlaceholders; ++number) {
    if (text.starts_with(placeholder(number))) return number;
  }
  return std::nullopt;
}

}  // namespace

std::string placeholder(std::size_t number) {
  return fmt::format("{}{}\u27E7", kOpen, number + 1);
}

std::vector<std::string> placeholder_symbols() {
  std::vector<std::string> symbols;
  for (std::size_t number = 0; number < kPlaceholders; ++number)
    symbols.push_back(placeholder(number));
  return symbols;
}

std::vector<TokenId> placeholder_ids(const Tokenizer& tokenizer) {
  std::vector<TokenId> ids;
  for (const std::string& symbol : placeholder_symbols()) {
    const auto id = tokenizer.find(symbol);
    if (!id) return {};
    ids.push_back(*id);
  }
  return ids;
}

utf8::Span ProtectedLine::original(utf8::Span span) const {
  const auto place = [this](std::size_t byte, bool is_end) {
    const auto after = std::ranges::upper_bound(parts, byte, {}, [&](const ProtectedPart& part) {
      return part.replaced.begin + (is_end ? 1 : 0);
    });
    if (after == parts.begin()) return byte;
    const auto before = after - 1;  // the last part that begins before the byte
    if (byte >= before->replaced.end) return before->original.end + (byte - before->replaced.end);
    return is_end ? before->original.end : before->original.begin;
  };
  const std::size_t begin = place(span.begin, false);
  return {begin, span.end > span.begin ? place(span.end, true) : begin};
}

std::vector<std::string> placeholder_texts(std::string_view line,
                                           std::span<const utf8::Span> parts) {
  std::vector<std::string_view> distinct;
  std::unordered_set<std::string_view> known;
  for (const utf8::Span& part : parts) {
    if (const auto text = text_of(line, part); known.insert(text).second) distinct.push_back(text);
  }
  const std::vector<std::string> symbols = placeholder_symbols();
  const auto is_symbol = [&](std::string_view text) { return is_among(text, symbols); };
  auto room = kPlaceholders - static_cast<std::size_t>(std::ranges::count_if(distinct, is_symbol));
  std::vector<std::string> texts;
  for (const std::string_view text : distinct) {
    if (!is_symbol(text) && room == 0) continue;
    if (!is_symbol(text)) --room;
    texts.emplace_back(text);
  }
  return texts;
}

ProtectedLine with_replacements(std::string_view line, std::span<const Replacement> replacements) {
  ProtectedLine result;
  std::size_t end = 0;  // of the last part
  for (const auto& [part, text] : replacements) {
    result.text += line.substr(end, part.begin - end);
    const std::size_t begin = result.text.size();
    result.text += text;
    result.parts.push_back({part, {begin, result.text.size()}});
    end = part.end;
  }
  result.text += line.substr(end);
  return result;
}

std::vector<Replacement> placeholders_for(std::string_view line, std::span<const utf8::Span> parts,
                                          std::span<const std::string> texts) {
  std::vector<Replacement> replacements;
  for (const utf8::Span& part : parts) {
    const auto found = std::ranges::find(texts, text_of(line, part));
    if (found == texts.end()) continue;
    replacements.push_back({part, placeholder(static_cast<std::size_t>(found - texts.begin()))});
  }
  return replacements;
}

ProtectedLine with_placeholders(std::string_view line, std::span<const utf8::Span> parts,
                                std::span<const std::string> texts) {
  return with_replacements(line, placeholders_for(line, parts, texts));
}

std::string without_placeholders(std::string_view text, std::span<const std::string> texts) {
  std::string result;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find(kOpen), text.size());
    result += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    const auto number = leading_placeholder(text);
    const bool is_ours = number && *number < texts.size();
    const std::size_t size = is_ours ? placeholder(*number).size() : kOpen.size();
    result += is_ours ? std::string_view(texts[*number]) : text.substr(0, size);
    text.remove_prefix(size);
  }
  return result;
}

}  // namespace attend::text
