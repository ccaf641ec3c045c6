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

/// Options for a page of many sentences.
struct AttentionPageOptions {
  std::string title = "Attention";
  /// Names of the models in the order of PageSentence::readings; empty for one unnamed model.
  std::vector<std::string> models = {};
  align::Level level = align::Level::kPiece;  ///< shown first; readers can switch
};

/// Words formed by the pieces of one model.
struct PageWords {
  align::WordGroups source;      ///< the group of each column
  align::WordGroups target;      ///< the group of each row
  align::WordGroups input = {};  ///< for the columns of the decoder's self-attention
};

/// One model's view of a sentence pair.
struct PageReading {
  align::AttentionMatrix matrix;      ///< of pieces; of words if `words` is unset
  std::optional<PageWords> words;     ///< lets readers switch to words
  std::optional<align::Links> links;  ///< word links of this model, drawn as dots
  std::optional<double> score;        ///< log-probability
  /// Attention of every layer and head, with the tokens of `matrix`; empty: show only `matrix`.
  std::vector<align::AttentionKind> kinds = {};
};

/// One sentence pair as seen by each model.
struct PageSentence {
  int64_t id = 0;                     ///< the sentence's line, from 0
  int64_t rank = 0;                   ///< rank in the n-best list, from 0
  std::vector<PageReading> readings;  ///< one, or two to compare side by side
  /// Word links; sure links get a solid outline, others a dashed one.
  std::optional<align::GoldLinks> gold;
};

/// Writes an HTML page that shows the attention of every sentence of a file. It has a searchable
/// list, shows the weight under the mouse, and offers pieces or words, kinds of attention with
/// layers, rollout and heads, and two models side by side. The page is a single file and needs no
/// network. Weights are rounded to five decimals; negative weights and NaN become 0. Sentences are
/// written as they are added, so memory does not grow with the file.
class AttentionPage {
 public:
  /// Starts the file `path`, which appears on commit(). Throws DataError if it cannot be written.
  AttentionPage(const std::filesystem::path& path, const AttentionPageOptions& options);

  /// Appends a sentence. Throws std::logic_error unless it has one or two readings whose names,
  /// weights and groups have matching sizes.
  void add(const PageSentence& sentence);

  /// Moves the file into place. Throws DataError if anything could not be written.
  void commit();

 private:
  OutputFile file_;
  std::string after_;  // the HTML after the sentences
};

}  // namespace attend::draw
