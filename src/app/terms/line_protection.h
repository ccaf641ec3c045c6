#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/attention/sentence_attention.h"
#include "app/model/loaded_model.h"
#include "app/terms/phrase_cutter.h"
#include "decode/search/search.h"
#include "text/placeholders.h"
#include "text/protected_spans.h"
#include "text/term_marks.h"

namespace attend::app {

/// Refers `read`, the pieces of a line with placeholders, to the `original` line.
void refer_to(std::string_view original, const text::ProtectedLine& replaced, TokenizedLine& read);

/// The protected parts of a line to translate.
class LineProtection {
 public:
  /// A text that the translation must contain, and how often.
  struct Required {
    std::string text;
    int64_t count = 0;
    bool after_blank = true;   ///< everywhere in the line, which begins with a blank
    bool before_blank = true;  ///< everywhere in the line, which ends with a blank
    bool after_word = false;   ///< somewhere in the line: a letter or digit is right before it
    bool before_word = false;  ///< somewhere in the line: a letter or digit is right after it
  };
  /// The pieces that write protected texts. The same for all lines.
  struct Writer {
    text::ProtectedSpans spans;
    std::vector<text::TokenId> placeholders;  ///< target pieces; empty: texts are written as text
    std::optional<text::TokenId> blank;  ///< the piece between a blank and a placeholder, if any
    PhraseCutter cutter;
  };

  /// `required`: the texts of the placeholders, in order; `as_text`: texts without a placeholder;
  /// `parts`: of the line.
  LineProtection(std::shared_ptr<const Writer> writer, std::vector<Required> required,
                 std::vector<Required> as_text, std::vector<utf8::Span> parts = {});

  /// The protected parts of the line, from left to right.
  [[nodiscard]] std::span<const utf8::Span> parts() const { return parts_; }

  /// `text`, which translations begin with or must contain, with the placeholders of the line.
  [[nodiscard]] std::string with_placeholders(std::string_view text) const;

  /// Why no translation can begin with `text`, as a predicate ("has ..."): it has a symbol that is
  /// not in the line. Empty if one can.
  [[nodiscard]] std::string problem(std::string_view text) const;

  /// `text` of an unfinished translation with the texts of the placeholders in it.
  [[nodiscard]] std::string without_placeholders(std::string_view text) const;

  /// Puts the texts in the place of the placeholders of a translation, with a blank where a text
  /// and a word would become one, unless they do in the line. Placeholders that are
  /// invented or too many vanish, and missing texts are added at the end: then returns false.
  bool restore(TokenizedLine& translation) const;

  /// The sentence with a search that writes each text as often as the line has it: it requires
  /// them, and forbids all further placeholders. Where the line has blanks before a text, the
  /// translation has too, unless it has a prefix or required phrases. A text that the vocabulary
  /// cannot write, and has no placeholder, is not required.
  [[nodiscard]] decode::SearchSentence required_in(decode::SearchSentence sentence) const;

 private:
  /// The number of the placeholder of a piece, or placeholders.size().
  [[nodiscard]] std::size_t number_of(text::TokenId id) const;

  std::shared_ptr<const Writer> writer_;
  std::vector<Required> required_;
  std::vector<Required> as_text_;
  std::vector<std::string> texts_;  // of required_
  std::vector<utf8::Span> parts_;
};

/// Protects the lines that models translate.
class LineProtector {
 public:
  /// A line as the models read it.
  struct Line {
    text::ProtectedLine replaced;
    std::vector<utf8::Span> parts;   ///< all protected parts
    std::vector<std::string> texts;  ///< of the placeholders
  };

  /// Models that were trained with data.protect read placeholders; others read and write the parts
  /// themselves. Throws UsageError for models of several sources, and for an ensemble whose members
  /// were trained with different data.protect; ModelFileError if a model that was trained with it
  /// lacks a placeholder.
  LineProtector(const std::vector<LoadedModel>& models, const text::ProtectOptions& options);

  /// For a model with this `target`, which has pieces for all placeholders and was trained with
  /// `options` on one source.
  LineProtector(std::shared_ptr<const text::Tokenizer> target, const text::ProtectOptions& options);

  /// `terms` are marked, but for those that share text with a protected part. Symbols of marks in
  /// the line itself are spelled out.
  [[nodiscard]] Line protect(std::string_view line,
                             std::span<const text::TermMark> terms = {}) const;
  /// The protected parts of a line.
  [[nodiscard]] std::vector<utf8::Span> parts(std::string_view line) const {
    return writer_->spans.find(line);
  }

  /// Refers `read`, the pieces of the first model for `protect(line)`, to `line`, and returns what
  /// its translation must keep: the parts that the model reads.
  [[nodiscard]] std::shared_ptr<const LineProtection> finish(const Line& line,
                                                             std::string_view original,
                                                             TokenizedLine& read) const;

 private:
  std::shared_ptr<const LineProtection::Writer> writer_;
  bool has_placeholders_ = false;
};

}  // namespace attend::app
