#pragma once
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/attention/sentence_attention.h"
#include "app/lines/source_line.h"
#include "app/model/loaded_model.h"
#include "decode/attention/attention_maps.h"
#include "decode/options.h"
#include "decode/search/search.h"
#include "decode/step/ensemble.h"
#include "decode/step/seq2seq_step_model.h"
#include "text/protect_options.h"
#include "text/term_marks.h"

namespace attend::app {

class LineProtection;
class LineProtector;

/// A line to translate.
struct SourceLine {
  int64_t number = 0;                ///< from 1
  TokenizedLine line;                ///< as the first model reads it
  decode::SearchSentence sentence;   ///< as the search reads it: one source per model
  std::vector<std::string> unknown;  ///< the texts of the kUnk pieces in sentence.prefix
  int64_t limit = 0;                 ///< limit on pieces of the model that drops most
  int64_t dropped = 0;               ///< pieces beyond that limit
  bool counted = true;               ///< false: `dropped` is a lower bound
  std::shared_ptr<const LineProtection> protection = {};  ///< null: nothing is protected

  [[nodiscard]] bool empty() const { return is_empty(line); }
};

/// One translation of a line.
struct Translation {
  TokenizedLine line;
  bool finished = true;  ///< false: cut at the length limit
  /// False: the search lost protected texts or repeated them, and LineProtection::restore() added
  /// or removed some.
  bool keeps_protected = true;
  double log_prob = 0.0;
  double score = 0.0;
  std::vector<double> token_log_probs = {};  ///< nats: of each piece, and of the end
  torch::Tensor attention;                   // [T + 1, S + 1]; undefined: none
  torch::Tensor heads;              // [heads, T + 1, S + 1]; undefined unless there are several
  decode::AttentionMaps maps = {};  ///< of the requested kinds
};

/// Translates text with one model or an ensemble. Thread-safe: several threads may translate
/// different lines at once, with the same results as one thread.
class Translator {
 public:
  /// Borrows the models. Requires: at least one. `tag`: a piece that every model reads before each
  /// line, like a tag of data.train; empty: none. `protect`: what is not translated; unset: as in
  /// training (data.protect). Throws UsageError if a model does not know the tag, and what
  /// LineProtector() throws.
  Translator(const std::vector<LoadedModel>& models, const decode::StepExecution& execution,
             const std::string& tag = "", const std::optional<text::ProtectOptions>& protect = {});
  ~Translator();
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;

  /// Cuts a line for every model, like cut_source(), to at most the model's data.max_length pieces.
  /// The models read `terms` with their translations, unless they share text with a protected part,
  /// or the line is too long with them.
  /// Requires: terms do not overlap, from left to right; if there are any, no model has a
  /// marks_problem().
  [[nodiscard]] SourceLine prepare(std::string_view line, int64_t number, const std::string& prefix,
                                   std::span<const text::TermMark> terms = {}) const;

  /// True if no model would drop pieces of the line. Requires: models of one source.
  [[nodiscard]] bool fits(std::string_view line) const;

  /// The parts of a line that are not translated.
  [[nodiscard]] std::vector<utf8::Span> protected_parts(std::string_view line) const;

  /// The translations of each line, best first, in the order given. Lines whose protected texts
  /// some translation does not keep are searched again, with what they must contain and a wider
  /// beam; `control` does not see the steps of that. Requires: none is empty(). Throws what
  /// decode::search() throws.
  [[nodiscard]] std::vector<std::vector<Translation>> translate(
      const std::vector<const SourceLine*>& lines, const decode::SearchOptions& options,
      decode::SearchControl* control = nullptr) const;

  /// Fills in the maps of translations from translate(), one pass per rank over all lines. Runs the
  /// model again on the sources and translations, with the weights and precision that translated
  /// them. Requires: a single model without a tag.
  void add_maps(const std::vector<const SourceLine*>& lines,
                std::vector<std::vector<Translation>>& translations,
                const decode::AttentionKinds& kinds) const;

  [[nodiscard]] const LoadedModel& first() const { return models_.front(); }

 private:
  using NBest = std::vector<Translation>;

  [[nodiscard]] std::vector<NBest> search(const std::vector<const SourceLine*>& lines,
                                          const std::vector<decode::SearchSentence>& sentences,
                                          const decode::SearchOptions& options,
                                          decode::SearchControl* control) const;
  void search_again(const std::vector<const SourceLine*>& lines,
                    const decode::SearchOptions& options, decode::SearchControl* control,
                    std::vector<NBest>& results) const;
  [[nodiscard]] Translation translation_of(const decode::Hypothesis& hypothesis,
                                           const SourceLine& line) const;

  const std::vector<LoadedModel>& models_;
  std::vector<text::TokenId> tags_;                 // by model; empty: no tag
  std::unique_ptr<const LineProtector> protector_;  // null: nothing is protected
  std::vector<decode::Seq2SeqStepModel> members_;
  std::optional<decode::Ensemble> ensemble_;
};

}  // namespace attend::app
