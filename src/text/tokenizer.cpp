#include "text/tokenizer.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/error.h"
#include "text/load_model.h"
#include "text/long_line.h"
#include "text/lowercase.h"
#include "text/sentencepiece/library.h"

namespace attend::text {
namespace {

constexpr std::string_view kUnkSurface = "\u2047";

std::size_t index(TokenId id) {
  return static_cast<std::size_t>(id);
}

bool is_visible(TokenId id) {
  return id == kUnk || id >= kSpecialSymbols;
}

/// Guards SentencePiece's global seed. It is held from setting the seed until the thread that uses
/// the seed ends.
std::mutex& sampling_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// Folds a seed to 32 bits. SentencePiece reserves the largest value for "seed from the clock".
uint32_t sentencepiece_seed(uint64_t seed) {
  const auto folded = static_cast<uint32_t>(seed ^ (seed >> 32U));
  return folded == std::numeric_limits<uint32_t>::max() ? 0 : folded;
}

/// Runs `work` on a new thread, because a thread's generator takes the seed when it first samples.
void on_seeded_thread(uint64_t seed, const std::function<void()>& work) {
  std::exception_ptr failure;
  const auto guarded = [&]() noexcept {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  const std::lock_guard lock(sampling_mutex());
  sentencepiece().set_seed(sentencepiece_seed(seed));
  std::thread(guarded).join();
  if (failure) std::rethrow_exception(failure);
}

[[noreturn]] void report_no_sampling() {
  throw ConfigError(
      "tokenizer.sampling: this SentencePiece model cannot sample segmentations; use a bpe or "
      "unigram model, or set tokenizer.sampling to 0");
}

/// Replaces word-boundary marks by blanks. SentencePiece does not do this in unknown pieces.
std::string with_spaces(std::string text) {
  constexpr std::string_view kMark = "\u2581";
  for (std::size_t at = 0; (at = text.find(kMark, at)) != std::string::npos; ++at) {
    text.replace(at, kMark.size(), " ");
  }
  return text;
}

/// True if pieces mark the end of a word, as with spm_train --treat_whitespace_as_suffix.
bool are_marked_at_the_end(const std::vector<std::string>& pieces) {
  constexpr std::string_view kMark = "\u2581";
  const auto is_word = [&](const std::string& piece) { return piece.size() > kMark.size(); };
  const auto begins = [&](const std::string& piece) {
    return is_word(piece) && piece.starts_with(kMark);
  };
  const auto ends = [&](const std::string& piece) {
    return is_word(piece) && piece.ends_with(kMark);
  };
  return std::ranges::any_of(pieces, ends) && std::ranges::none_of(pieces, begins);
}

void drop_last_blank(JoinedPieces& joined) {
  joined.text.pop_back();
  for (std::size_t& end : joined.ends) end = std::min(end, joined.text.size());
}

}  // namespace

struct Tokenizer::Impl {
  std::unique_ptr<SentencePieceModel> model;
  bool lowercase = false;
  PieceOrder order = PieceOrder::kReading;
  std::vector<TokenId> ours;       // our id, by the model's id
  std::vector<std::string> names;  // piece texts, by our id
  std::string unused_character;    // a character that no piece contains
  bool marks_ends = false;         // pieces mark the end of a word: "Hund▁"

  void number_pieces();
  void find_unused_character();
  /// Converts between reading order and the tokenizer's order.
  template <class Element>
  void turn(std::vector<Element>& elements) const {
    if (order == PieceOrder::kReversed) std::ranges::reverse(elements);
  }
  /// The model's own ids and pieces of a line of any length, in reading order.
  [[nodiscard]] std::vector<int> ids_of(std::string_view line) const;
  [[nodiscard]] std::vector<SentencePiece> pieces_of(std::string_view line) const;
  /// The span of `piece` without leading and trailing words that normalise to nothing.
  [[nodiscard]] utf8::Span visible_part(std::string_view line, const SentencePiece& piece) const;
  [[nodiscard]] std::vector<TokenId> in_reading_order(std::span<const TokenId> ids) const;
  /// The text of `ids`, each kUnk as a character that no piece contains.
  [[nodiscard]] std::string text_of(std::span<const TokenId> ids) const;
  [[nodiscard]] std::vector<TokenId> to_ours(const std::vector<int>& ids) const;
  [[nodiscard]] std::vector<Piece> to_ours(std::vector<SentencePiece> theirs, std::string_view line,
                                           const std::optional<Lowercased>& lower) const;
  [[nodiscard]] std::vector<TokenId> sample(const std::string& line, double alpha) const;
  [[nodiscard]] std::vector<Piece> sample_pieces(const std::string& line, double alpha) const;
  [[nodiscard]] JoinedPieces join(std::span<const TokenId> ids,
                                  std::span<const std::string> unknown) const;
};

void Tokenizer::Impl::number_pieces() {
  names = {"<pad>", "<unk>", "<s>", "</s>"};
  ours.assign(static_cast<std::size_t>(model->size()), kUnk);
  const std::vector<int> special = model->special_ids();  // in the order of our ids
  for (int theirs = 0; theirs < model->size(); ++theirs) {
    const auto found = std::find(special.begin(), special.end(), theirs);
    if (found != special.end()) {
      ours[index(theirs)] = static_cast<TokenId>(found - special.begin());
    } else {
      ours[index(theirs)] = static_cast<TokenId>(names.size());
      names.push_back(model->piece(theirs));
    }
  }
}

/// Looks in the private use area, because normalisation does not change the characters there.
void Tokenizer::Impl::find_unused_character() {
  constexpr char32_t kFirst = 0xE000;
  constexpr char32_t kLast = 0xF8FF;
  const auto is_in = [this](const std::string& piece) {
    return piece.find(unused_character) != std::string::npos;
  };
  for (char32_t character = kFirst; character <= kLast; ++character) {
    unused_character = utf8::encode(std::u32string_view(&character, 1));
    if (std::ranges::none_of(names, is_in)) return;
  }
}

std::vector<int> Tokenizer::Impl::ids_of(std::string_view line) const {
  std::vector<int> ids;
  for (const std::string_view part : parts_of_line(line, kLongLine)) {
    const std::vector<int> more = model->encode(part);
    ids.insert(ids.end(), more.begin(), more.end());
  }
  return ids;
}

std::vector<SentencePiece> Tokenizer::Impl::pieces_of(std::string_view line) const {
  std::vector<SentencePiece> pieces;
  for (const std::string_view part : parts_of_line(line, kLongLine)) {
    const auto begin = static_cast<std::size_t>(part.data() - line.data());
    std::vector<SentencePiece> more = model->encode_pieces(part);
    if (begin > 0 && !more.empty()) more.front().span.begin = 0;  // include the leading blank
    for (SentencePiece& piece : more) {
      piece.span = {piece.span.begin + begin, piece.span.end + begin};
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

/// SentencePiece adds the bytes of a word that normalisation removes, such as U+200B between
/// blanks, to a neighbouring piece.
utf8::Span Tokenizer::Impl::visible_part(std::string_view line, const SentencePiece& piece) const {
  const utf8::Span span = piece.span;
  const std::string_view part = line.substr(span.begin, span.end - span.begin);
  const std::vector<utf8::Span> words = utf8::word_spans(part);
  const bool is_mark = words.size() == 1 && piece.text == "\u2581";
  if (words.size() < 2 && !is_mark) return span;
  const auto is_visible_word = [&](const utf8::Span& word) {
    return !model->encode(part.substr(word.begin, word.end - word.begin)).empty();
  };
  const auto first = std::ranges::find_if(words, is_visible_word);
  if (first == words.end()) return {span.end, span.end};
  const auto last = std::find_if(words.rbegin(), words.rend(), is_visible_word);
  const std::size_t begin = span.begin + (first == words.begin() ? 0 : first->begin);
  return {begin, last == words.rbegin() ? span.end : span.begin + last->end};
}

std::vector<TokenId> Tokenizer::Impl::to_ours(const std::vector<int>& ids) const {
  std::vector<TokenId> result;
  result.reserve(ids.size());
  for (const int id : ids) result.push_back(ours.at(index(id)));
  turn(result);
  return result;
}

std::vector<TokenId> Tokenizer::Impl::in_reading_order(std::span<const TokenId> ids) const {
  std::vector<TokenId> result(ids.begin(), ids.end());
  turn(result);
  return result;
}

std::string Tokenizer::Impl::text_of(std::span<const TokenId> ids) const {
  const std::vector<TokenId> in_order = in_reading_order(ids);
  const auto unknown = static_cast<std::size_t>(std::ranges::count(in_order, kUnk));
  return join(in_order, std::vector<std::string>(unknown, unused_character)).text;
}

/// `line`: the encoded text; `lower`: the lower-cased line, if that was encoded.
std::vector<Piece> Tokenizer::Impl::to_ours(std::vector<SentencePiece> theirs,
                                            std::string_view line,
                                            const std::optional<Lowercased>& lower) const {
  const auto original = [&](std::size_t offset) {
    return lower ? lower->original(offset) : offset;
  };
  std::vector<Piece> pieces;
  pieces.reserve(theirs.size());
  for (SentencePiece& piece : theirs) {
    const utf8::Span visible = visible_part(line, piece);
    const utf8::Span span = {original(visible.begin), original(visible.end)};
    pieces.push_back({ours.at(index(piece.id)), std::move(piece.text), span});
  }
  turn(pieces);
  return pieces;
}

std::vector<TokenId> Tokenizer::Impl::sample(const std::string& line, double alpha) const {
  const auto ids = model->sample(lowercase ? Lowercased(line).text() : line, alpha);
  if (!ids) report_no_sampling();
  return to_ours(*ids);
}

std::vector<Piece> Tokenizer::Impl::sample_pieces(const std::string& line, double alpha) const {
  const auto lower = lowercase ? std::optional<Lowercased>(line) : std::nullopt;
  const std::string& encoded = lower ? lower->text() : line;
  auto pieces = model->sample_pieces(encoded, alpha);
  if (!pieces) report_no_sampling();
  return to_ours(std::move(*pieces), encoded, lower);
}

/// Joins `ids`, given in reading order. Passes pieces as text, so that an unknown piece becomes its
/// own text or U+2047 rather than the model's symbol for unknown pieces.
JoinedPieces Tokenizer::Impl::join(std::span<const TokenId> ids,
                                   std::span<const std::string> unknown) const {
  std::vector<std::string> surfaces;
  for (const std::string& text : unknown) surfaces.push_back(with_spaces(text));
  std::vector<std::string_view> pieces;
  std::size_t next = 0;
  const auto surface = [&]() -> std::string_view {
    if (next == surfaces.size()) return kUnkSurface;
    const std::string_view text = surfaces[next++];
    return pieces.empty() && text.starts_with(' ') ? text.substr(1) : text;
  };
  for (const TokenId id : ids) {
    if (is_visible(id)) pieces.push_back(id == kUnk ? surface() : names.at(index(id)));
  }
  JoinedPieces joined = model->join(pieces);
  if (marks_ends && joined.text.ends_with(' ')) drop_last_blank(joined);
  std::replace(joined.text.begin(), joined.text.end(), '\n', ' ');
  return joined;
}

Tokenizer::Tokenizer(const std::filesystem::path& model, bool lowercase, PieceOrder order)
    : impl_(std::make_unique<Impl>()) {
  impl_->model = load_model(model);
  impl_->lowercase = lowercase;
  impl_->order = order;
  impl_->number_pieces();
  impl_->marks_ends = are_marked_at_the_end(impl_->names);
  impl_->find_unused_character();
}

Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

PieceOrder Tokenizer::order() const {
  return impl_->order;
}

std::vector<TokenId> Tokenizer::encode(std::string_view line) const {
  if (!impl_->lowercase) return impl_->to_ours(impl_->ids_of(line));
  return impl_->to_ours(impl_->ids_of(Lowercased(line).text()));
}

std::vector<Piece> Tokenizer::encode_pieces(std::string_view line) const {
  std::optional<Lowercased> lower;
  if (impl_->lowercase) lower.emplace(line);
  const std::string_view encoded = lower ? std::string_view(lower->text()) : line;
  return impl_->to_ours(impl_->pieces_of(encoded), encoded, lower);
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const {
  return impl_->join(impl_->in_reading_order(ids), {}).text;
}

Detokenized Tokenizer::decode_with_spans(std::span<const TokenId> ids,
                                         std::span<const std::string> unknown) const {
  const std::vector<TokenId> in_order = impl_->in_reading_order(ids);
  JoinedPieces joined = impl_->join(in_order, unknown);
  Detokenized result{std::move(joined.text), {}};
  std::size_t position = 0;
  std::size_t next = 0;
  for (const TokenId id : in_order) {
    const std::size_t begin = position;
    if (is_visible(id)) position = joined.ends.at(next++);
    result.spans.push_back({begin, position});
  }
  impl_->turn(result.spans);
  return result;
}

const std::string& Tokenizer::piece(TokenId id) const {
  return impl_->names.at(index(id));
}

int64_t Tokenizer::size() const {
  return static_cast<int64_t>(impl_->names.size());
}

std::optional<TokenId> Tokenizer::find(std::string_view piece) const {
  const auto begin = impl_->names.begin() + kSpecialSymbols;
  const auto found = std::find(begin, impl_->names.end(), piece);
  if (found == impl_->names.end()) return std::nullopt;
  return static_cast<TokenId>(found - impl_->names.begin());
}

std::vector<std::vector<TokenId>> Tokenizer::encode_sampled(std::span<const std::string> lines,
                                                            double alpha, uint64_t seed) const {
  std::vector<std::vector<TokenId>> result(lines.size());
  on_seeded_thread(seed, [&] {
    for (std::size_t i = 0; i < lines.size(); ++i) result[i] = impl_->sample(lines[i], alpha);
  });
  return result;
}

std::vector<TokenId> Tokenizer::sample_again(std::span<const TokenId> ids, double alpha,
                                             uint64_t seed) const {
  const std::string line = impl_->text_of(ids);
  const auto sampled = impl_->model->sample_from(line, alpha, sentencepiece_seed(seed));
  if (!sampled) report_no_sampling();
  return impl_->to_ours(*sampled);
}

std::vector<TokenId> Tokenizer::encode_changed(
    std::span<const TokenId> ids,
    const std::function<std::string(std::string_view)>& change) const {
  return encode(change(impl_->text_of(ids)));
}

std::vector<std::vector<Piece>> Tokenizer::encode_pieces_sampled(std::span<const std::string> lines,
                                                                 double alpha,
                                                                 uint64_t seed) const {
  std::vector<std::vector<Piece>> result(lines.size());
  on_seeded_thread(seed, [&] {
    for (std::size_t i = 0; i < lines.size(); ++i)
      result[i] = impl_->sample_pieces(lines[i], alpha);
  });
  return result;
}

}  // namespace attend::text
