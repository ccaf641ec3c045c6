#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "align/attention_matrix.h"
#include "align/error_rate.h"
#include "align/link_file.h"
#include "core/file.h"
#include "data/pair_reader.h"

namespace attend::app {

/// Throws DataError, with the place in the source file, for a pair whose weights would take over
/// 256 MiB: more than 2^26 pairs of words.
void check_words(const data::LinePair& lines, const std::string& source_file, int64_t line);

/// The words of a pair as the names of a matrix without end symbols; all weights are zero.
[[nodiscard]] align::AttentionMatrix word_matrix(const data::LinePair& lines);

/// Links of words that come from no model, and how to write and evaluate them.
struct WordLinkOptions {
  std::filesystem::path output = "-";
  bool jsonl = false;          ///< write attention records instead of Pharaoh links
  std::filesystem::path gold;  ///< empty: none
  align::Judge judge = align::Judge::kAll;
};

/// Writes the links of a text line by line, and compares them with gold links.
class WordLinkOutput {
 public:
  /// Keeps a reference to `options`. `gold` may be null. Throws DataError if the file cannot be
  /// written.
  WordLinkOutput(const WordLinkOptions& options, const align::LinkFile* gold);

  /// Adds the next pair. Throws DataError if its gold links lie outside of it. Pairs beyond the end
  /// of the gold file are not compared.
  void add(const align::AttentionMatrix& words, const align::Links& links);

  /// The number of pairs added.
  [[nodiscard]] std::size_t lines() const { return lines_; }
  /// Moves the file to its final name.
  void commit() { file_.commit(); }
  /// The counts of all pairs; unset without gold links.
  [[nodiscard]] std::optional<align::LinkCounts> counts() const;

 private:
  const WordLinkOptions& options_;
  const align::LinkFile* gold_;
  OutputFile file_;
  std::size_t lines_ = 0;
  align::LinkCounts counts_;
};

}  // namespace attend::app
