#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "align/attention_json.h"
#include "align/attention_kinds.h"
#include "align/attention_matrix.h"
#include "align/links.h"
#include "align/word_merge.h"
#include "core/file.h"

namespace attend::draw {

/// What the page of a whole file says once.
struct AttentionPageOptions {
  std::string title = "Attention";
  /// Names of the models in the order of PageSentence::readings; none for a single model without a
  /// name.
  std::vector<std::string> models = {};
  align::Level level = align::Level::kPiece;  ///< what is shown first; readers can switch
};

/// How the pieces of one model make words.
struct PageWords {
  align::WordGroups source;      ///< a group for each column of the pieces
  align::WordGroups target;      ///< a group for each row of the pieces
  align::WordGroups input = {};  ///< one for each column of the decoder's self-attention
};

/// One model's view of a sentence pair.
struct PageReading {
  align::AttentionMatrix matrix;      ///< of pieces, or of words where there are no pieces
  std::optional<PageWords> words;     ///< lets the reader switch to words; unset: `matrix` is all
  std::optional<align::Links> links;  ///< of words, as taken from this model; marked with dots
  std::optional<double> score;        ///< log-probability
  /// Every layer and head, of pieces as `matrix`; none: the page offers `matrix` alone.
  std::vector<align::AttentionKind> kinds = {};
};

/// One sentence pair with the view of each model.
struct PageSentence {
  int64_t id = 0;                     ///< the sentence's line, from 0
  int64_t rank = 0;                   ///< place in the n-best list, from 0
  std::vector<PageReading> readings;  ///< one, or two to be shown side by side
  std::optional<align::GoldLinks>
      gold;  ///< of words; sure links get a solid outline, others a dashed one
};

/// Writes an HTML page that shows the attention of every sentence of a file: list with search,
/// weights under the mouse, pieces or words, kinds of attention with their layers, rollout and
/// heads, two models side by side. The page is one file
/// that needs no network; weights are kept to five decimals (those below 0 and NaN as 0). Sentences
/// are written as they come, so memory does not grow with the file.
class AttentionPage {
 public:
  /// Starts the file `path`, which appears when commit() was called. Throws DataError if it cannot
  /// be written.
  AttentionPage(const std::filesystem::path& path, const AttentionPageOptions& options);

  /// Appends a sentence. Throws std::logic_error if it has no reading or more than two, or if
  /// names, weights and groups do not fit each other.
  void add(const PageSentence& sentence);

  /// Puts the file in place. Throws DataError if anything could not be written.
  void commit();

 private:
  OutputFile file_;
  std::string after_;  // what follows the sentences
};

}  // namespace attend::draw
