#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.h"
#include "text/placeholders.h"
#include "text/tokenizer.h"

namespace attend::text {

/// A term in a source line, with the translation that it should get.
struct TermMark {
  utf8::Span span;
  std::string target;
};

/// The symbols before a marked term, between it and its translation, and after that.
[[nodiscard]] std::vector<std::string> term_symbols();

/// The first symbol of a placeholder or a term in `text`; empty if there is none.
[[nodiscard]] std::string reserved_symbol(std::string_view text);

/// The term_symbols() in `line`, as text that is no symbol: "⟦ < ⟧".
[[nodiscard]] std::vector<Replacement> spelled_out_symbols(std::string_view line);

/// True if the tokenizer has pieces for all term_symbols().
[[nodiscard]] bool has_term_symbols(const Tokenizer& tokenizer);

/// A term of `line` with its mark, "⟦<⟧ SOURCE ⟦=⟧ TARGET ⟦>⟧": a model that has read such text in
/// training writes TARGET (the appended form of Dinu et al. 2019, arXiv 1906.01105, with symbols in
/// place of factors).
[[nodiscard]] Replacement marked(std::string_view line, const TermMark& term);

/// `line` with these terms marked; the parts of the result are the terms with their marks.
/// Requires: the spans do not overlap, from left to right.
[[nodiscard]] ProtectedLine with_marked_terms(std::string_view line,
                                              std::span<const TermMark> terms);

}  // namespace attend::text
