#include "app/terms/line_protection.h"

#include <fmt/format.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "app/terms/word_characters.h"
#include "core/error.h"
#include "core/option_name.h"
#include "core/spans.h"
#include "text/characters.h"

namespace attend::app {
namespace {

/// A placeholder and how it may occur in a translation.
struct LimitedPlaceholder {
  text::TokenId id = text::kUnk;
  int64_t most = 0;
  std::optional<text::TokenId> after = {};  // the piece before it; unset: any
};

/// Forbids placeholders that a translation has often enough, or that need another piece before.
class PlaceholderLimit final : public decode::OutputConstraint {
 public:
  /// `others`: a further constraint, or null.
  PlaceholderLimit(std::vector<LimitedPlaceholder> placeholders,
                   std::shared_ptr<const decode::OutputConstraint> others)
      : placeholders_(std::move(placeholders)), others_(std::move(others)) {}

  void forbid(std::span<const text::TokenId> tokens, torch::Tensor row) const override {
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    if (others_ != nullptr) others_->forbid(tokens, row);
    for (const auto& [id, most, after] : placeholders_) {
      const bool follows = !after || (!tokens.empty() && tokens.back() == *after);
      if (!follows || std::ranges::count(tokens, id) >= most) row[id].fill_(kNever);
    }
  }

 private:
  std::vector<LimitedPlaceholder> placeholders_;
  std::shared_ptr<const decode::OutputConstraint> others_;
};

bool continues_word(char32_t code) {
  return is_of_word(code) && !is_unspaced(code);
}

/// How often `text` has `part` where its first and last letters and digits are not inside a word.
int64_t count_of(std::string_view text, const std::string& part) {
  const bool begins_word = continues_word(utf8::first_character(part).code);
  const bool ends_word = continues_word(text::last_character(part).code);
  int64_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;) {
    const std::size_t end = at + part.size();
    const bool inside =
        (begins_word && at > 0 && continues_word(text::last_character(text.substr(0, at)).code)) ||
        (ends_word && end < text.size() &&
         continues_word(utf8::first_character(text.substr(end)).code));
    count += inside ? 0 : 1;
    at = text.find(part, inside ? at + 1 : end);
  }
  return count;
}

/// True if a blank must keep `before` and `after` apart: as one word they would be another one.
bool would_join(std::string_view before, std::string_view after) {
  constexpr std::u32string_view kSigns = U"+-\u2212";
  if (before.empty() || after.empty()) return false;
  const char32_t next = utf8::first_character(after).code;
  return continues_word(text::last_character(before).code) &&
         (continues_word(next) || kSigns.find(next) != std::u32string_view::npos);
}

/// True if a blank belongs between `text` and the protected text `next`, written as `written`.
/// `last`: the protected text that `text` ends with; null: it ends with something else.
bool must_part(std::string_view text, const LineProtection::Required* last,
               std::string_view written, const LineProtection::Required& next) {
  if (text.empty() || text.ends_with(' ') || written.starts_with(' ')) return false;
  const bool after_word = continues_word(text::last_character(text).code);
  if (next.after_blank && (last != nullptr || after_word)) return true;
  return !next.after_word && would_join(text, written);
}

/// True if a blank belongs between `text`, which ends with the protected text `last`, and a word.
bool must_part(std::string_view text, const LineProtection::Required& last,
               std::string_view written) {
  if (written.starts_with(' ')) return false;
  const bool before_word = continues_word(utf8::first_character(written).code);
  return (last.before_blank && before_word) || (!last.before_word && would_join(text, written));
}

/// The places of the pieces of a line in reading order.
std::vector<std::size_t> reading_order(const TokenizedLine& line) {
  std::vector<std::size_t> places(line.ids.size());
  std::iota(places.begin(), places.end(), 0);
  if (line.order == text::PieceOrder::kReversed) std::ranges::reverse(places);
  return places;
}

void append_word(std::string& text, const std::string& word) {
  if (!text.empty() && !text.ends_with(' ')) text += ' ';
  text += word;
}

/// Replaces the symbol of a piece, which a blank may precede.
void replace_symbol(std::string& written, const std::string& symbol, const std::string& text) {
  const std::size_t at = std::min(written.find(symbol), written.size());
  written.replace(at, symbol.size(), text);
}

bool was_protected(const LoadedModel& model) {
  return !model.experiment.data.protect.empty();
}

void refuse_several_sources(const LoadedModel& model) {
  if (data::count_sources(model.experiment.data) == 1) return;
  throw UsageError(
      fmt::format("{}: the model in {} reads several sources per line, but a translation keeps the "
                  "parts of one; leave it out",
                  option_name("protect"), model.directory.string()));
}

void require_same_protection(const std::vector<LoadedModel>& models) {
  const text::ProtectOptions& first = models.front().experiment.data.protect;
  for (const LoadedModel& model : models) {
    const text::ProtectOptions& other = model.experiment.data.protect;
    if (other.kinds == first.kinds && other.patterns == first.patterns) continue;
    throw UsageError(fmt::format(
        "the models in {} and {} were trained with different data.protect; an ensemble reads the "
        "same placeholders",
        models.front().directory.string(), model.directory.string()));
  }
}

std::vector<text::TokenId> placeholders_of(const LoadedModel& model,
                                           const text::Tokenizer& tokenizer) {
  std::vector<text::TokenId> ids = text::placeholder_ids(tokenizer);
  if (!ids.empty()) return ids;
  throw ModelFileError(model.directory,
                       "was trained with data.protect, but its tokenizer has no pieces for the "
                       "placeholders; it may be of another run");
}

/// The piece that a line has before a placeholder at its beginning; none if the model writes from
/// the end.
std::optional<text::TokenId> blank_before(const std::vector<text::TokenId>& placeholders,
                                          const text::Tokenizer& target) {
  const std::vector<text::TokenId> ids = target.encode(text::placeholder(0));
  if (placeholders.empty() || ids.size() != 2 || ids.back() != placeholders.front())
    return std::nullopt;
  return ids.front();
}

std::shared_ptr<const LineProtection::Writer> make_writer(
    const std::shared_ptr<const text::Tokenizer>& target, std::vector<text::TokenId> placeholders,
    const text::ProtectOptions& options) {
  const auto blank = blank_before(placeholders, *target);
  return std::make_shared<const LineProtection::Writer>(LineProtection::Writer{
      text::ProtectedSpans(options), std::move(placeholders), blank, PhraseCutter(target)});
}

void sort(std::vector<text::Replacement>& all) {
  std::ranges::sort(all, {}, [](const text::Replacement& one) { return one.part.begin; });
}

/// Sorts `all`, and adds the symbols of marks in the text between them.
void add_spelled_out_symbols(std::string_view line, std::vector<text::Replacement>& all) {
  sort(all);
  std::vector<utf8::Span> taken;
  for (const text::Replacement& one : all) taken.push_back(one.part);
  for (text::Replacement& symbol : text::spelled_out_symbols(line)) {
    const utf8::Span* const last = utf8::last_before(taken, symbol.part.end);
    if (last == nullptr || !utf8::share_bytes(*last, symbol.part)) all.push_back(std::move(symbol));
  }
  sort(all);
}

}  // namespace

void refer_to(std::string_view original, const text::ProtectedLine& replaced, TokenizedLine& read) {
  for (utf8::Span& span : read.spans) span = replaced.original(span);
  read.text = original;
}

LineProtection::LineProtection(std::shared_ptr<const Writer> writer, std::vector<Required> required,
                               std::vector<Required> as_text, std::vector<utf8::Span> parts)
    : writer_(std::move(writer)),
      required_(std::move(required)),
      as_text_(std::move(as_text)),
      parts_(std::move(parts)) {
  for (const Required& one : required_) texts_.push_back(one.text);
}

std::string LineProtection::with_placeholders(std::string_view text) const {
  return text::with_placeholders(text, writer_->spans.find(text), texts_).text;
}

std::string LineProtection::problem(std::string_view text) const {
  if (writer_->placeholders.empty()) return "";
  for (const utf8::Span& span : writer_->spans.find(text)) {
    const std::string part(text::text_of(text, span));
    const bool is_symbol = text::reserved_symbol(part) == part;
    if (!is_symbol || std::ranges::find(texts_, part) != texts_.end()) continue;
    return fmt::format("has \"{}\", which would stand for a protected part; leave it out", part);
  }
  return "";
}

std::string LineProtection::without_placeholders(std::string_view text) const {
  return text::without_placeholders(text, texts_);
}

std::size_t LineProtection::number_of(text::TokenId id) const {
  const auto found = std::ranges::find(writer_->placeholders, id);
  return static_cast<std::size_t>(found - writer_->placeholders.begin());
}

bool LineProtection::restore(TokenizedLine& translation) const {
  std::vector<Required> missing = required_;
  bool is_exact = true;
  const Required* last = nullptr;  // the protected text that `text` ends with
  std::string text;
  for (const std::size_t i : reading_order(translation)) {
    utf8::Span& span = translation.spans[i];
    std::string written = translation.text.substr(span.begin, span.end - span.begin);
    if (const std::size_t number = number_of(translation.ids[i]);
        number < writer_->placeholders.size()) {
      const bool is_wanted = number < missing.size() && missing[number].count-- > 0;
      is_exact = is_exact && is_wanted;
      replace_symbol(written, text::placeholder(number), is_wanted ? texts_[number] : "");
      const Required* const next = is_wanted ? &required_[number] : nullptr;
      if (next != nullptr && must_part(text, last, written, *next)) text += ' ';
      if (next != nullptr || !written.empty()) last = next;
    } else if (!written.empty()) {
      if (last != nullptr && must_part(text, *last, written)) text += ' ';
      last = nullptr;
    }
    span = {text.size(), text.size() + written.size()};
    text += written;
  }
  for (const Required& one : as_text_)
    missing.push_back({.text = one.text, .count = one.count - count_of(text, one.text)});
  for (const Required& one : missing) {
    is_exact = is_exact && one.count <= 0;
    for (int64_t i = 0; i < one.count; ++i) append_word(text, one.text);
  }
  translation.text = std::move(text);
  return is_exact;
}

decode::SearchSentence LineProtection::required_in(decode::SearchSentence sentence) const {
  std::vector<LimitedPlaceholder> limits;
  for (const text::TokenId id : writer_->placeholders) limits.push_back({.id = id});
  const bool is_free = sentence.required == nullptr && sentence.prefix.empty();
  decode::RequiredPhrases required = writer_->cutter.require({});
  if (sentence.required != nullptr) required.groups = sentence.required->groups;
  const auto require = [&](const std::vector<decode::Phrase>& group, int64_t count) {
    required.groups.insert(required.groups.end(), static_cast<std::size_t>(count), group);
  };
  for (std::size_t i = 0; i < required_.size(); ++i) {
    limits[i].most = required_[i].count;
    if (is_free && required_[i].after_blank) limits[i].after = writer_->blank;
    decode::Phrase phrase{.tokens = {limits[i].id}};
    if (limits[i].after) phrase.tokens.insert(phrase.tokens.begin(), *limits[i].after);
    require({phrase}, required_[i].count);
  }
  for (const Required& one : as_text_) {
    if (writer_->cutter.problem_of_line_text(one.text).empty())
      require(writer_->cutter.cut_anywhere(one.text), one.count);
  }
  sentence.constraint =
      std::make_shared<PlaceholderLimit>(std::move(limits), std::move(sentence.constraint));
  sentence.required = nullptr;
  if (!required.groups.empty())
    sentence.required = std::make_shared<const decode::RequiredPhrases>(std::move(required));
  return sentence;
}

LineProtector::LineProtector(const std::vector<LoadedModel>& models,
                             const text::ProtectOptions& options)
    : has_placeholders_(was_protected(models.front())) {
  refuse_several_sources(models.front());
  require_same_protection(models);
  std::vector<text::TokenId> placeholders;
  for (const LoadedModel& model : models) {
    if (!has_placeholders_) break;
    (void)placeholders_of(model, *model.source);
    placeholders = placeholders_of(model, *model.target);
  }
  writer_ = make_writer(models.front().target, std::move(placeholders), options);
}

LineProtector::LineProtector(std::shared_ptr<const text::Tokenizer> target,
                             const text::ProtectOptions& options)
    : writer_(make_writer(target, text::placeholder_ids(*target), options)),
      has_placeholders_(true) {}

LineProtector::Line LineProtector::protect(std::string_view line,
                                           std::span<const text::TermMark> terms) const {
  Line result;
  result.parts = writer_->spans.find(line);
  if (has_placeholders_) result.texts = text::placeholder_texts(line, result.parts);
  std::vector<text::Replacement> all = text::placeholders_for(line, result.parts, result.texts);
  for (const text::TermMark& term : terms) {
    const utf8::Span* const part = utf8::last_before(result.parts, term.span.end);
    if (part == nullptr || !utf8::share_bytes(*part, term.span))
      all.push_back(text::marked(line, term));
  }
  add_spelled_out_symbols(line, all);
  result.replaced = text::with_replacements(line, all);
  return result;
}

std::shared_ptr<const LineProtection> LineProtector::finish(const Line& line,
                                                            std::string_view original,
                                                            TokenizedLine& read) const {
  refer_to(original, line.replaced, read);
  std::size_t end = 0;
  for (const utf8::Span& span : read.spans) end = std::max(end, span.end);
  std::vector<LineProtection::Required> required, as_text;
  for (const std::string& text : line.texts) required.push_back({.text = text});
  for (const utf8::Span& part : line.parts) {
    if (part.begin >= end) break;
    std::string text(original.substr(part.begin, part.end - part.begin));
    const auto has_text = [&](const auto& one) { return one.text == text; };
    if (const auto found = std::ranges::find_if(required, has_text); found != required.end()) {
      ++found->count;
      const std::string_view before = original.substr(0, part.begin);
      const std::string_view after = original.substr(part.end);
      found->after_blank = found->after_blank && (before.empty() || before.ends_with(' '));
      found->before_blank = found->before_blank && (after.empty() || after.starts_with(' '));
      found->after_word = found->after_word || would_join(before, text);
      found->before_word = found->before_word || would_join(text, after);
    } else if (const auto other = std::ranges::find_if(as_text, has_text); other != as_text.end()) {
      ++other->count;
    } else {
      as_text.push_back({.text = std::move(text), .count = 1});
    }
  }
  return std::make_shared<const LineProtection>(writer_, std::move(required), std::move(as_text),
                                                line.parts);
}

}  // namespace attend::app
