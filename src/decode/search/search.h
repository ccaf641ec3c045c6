#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "decode/options.h"
#include "decode/scoring/output_constraint.h"
#include "decode/scoring/required_phrases.h"
#include "decode/search/hypothesis.h"
#include "decode/search/search_control.h"
#include "decode/step/step_model.h"
#include "text/vocabulary.h"

namespace attend::decode {

/// A sentence to translate, and the settings of its search.
struct SearchSentence {
  std::vector<std::vector<text::TokenId>> sources;  ///< one per StepModel::sources(), kEos last
  std::vector<text::TokenId> prefix = {};           ///< the output begins with it
  uint64_t random_stream = 0;                       ///< sampling only: number of its random stream
  /// Maps a target position (from 0) to the only source position that it attends to.
  std::map<int64_t, int64_t> forced_attention = {};
  std::shared_ptr<const OutputConstraint> constraint = {};  ///< null: none
  std::shared_ptr<const RequiredPhrases> required = {};     ///< null: none
};

/// The most pieces that a hypothesis for `sentence` can have.
[[nodiscard]] int64_t longest_output(const SearchSentence& sentence,
                                     const DecodingOptions& options);

/// Translates a batch by beam search in log space, or by sampling if options.sampling is set.
///
/// The score of a hypothesis of n tokens, kEos included, is log_prob / n^length_penalty plus the
/// coverage penalty. A hypothesis has at most max_length_ratio * (source pieces) + 10 pieces, or 10
/// more than its prefix and required phrases if that is more. At this limit kEos is forced, and the
/// hypothesis is marked as not finished unless kEos was the most probable token anyway. With
/// no_repeat_ngram_size, tokens after the prefix never repeat a sequence of that length;
/// log-probabilities still come from the full distribution.
///
/// A sentence's beam narrows by one with every hypothesis that ends. The sentence is finished, and
/// leaves the batch, when no hypothesis is alive or when none can still reach the score of the n-th
/// best. With sampling, n_best hypotheses are drawn independently; each sentence draws from
/// stream(seed, "sampling", random_stream), so the result does not depend on the batch.
///
/// Every hypothesis of a sentence with required phrases contains them, in its prefix or after it.
/// share_places() divides the beam among its hypotheses. Required phrases may repeat what
/// no_repeat_ngram_size forbids, but not what the sentence's constraint forbids. Sampling does not
/// support required phrases.
///
/// Returns n_best hypotheses per sentence, best first, in the order of the batch; fewer only if the
/// vocabulary is too small or a constraint too narrow. Hypotheses of a beam search are distinct.
/// With a shortlist, each sentence has its own list: that of its pieces in the first source
/// vocabulary, plus the pieces of its prefix and required phrases. Log-probabilities then belong to
/// the distribution over that list. Throws UsageError for options that validate() rejects,
/// NoOutput (decode/search/no_output.h) if a constraint leaves no output, NumericError if the
/// model's output is not finite, SearchCancelled if `control` (null: none) cancels the search, and
/// std::logic_error for another number of sources than the model's, a coverage penalty without
/// attention, and required phrases with sampling.
[[nodiscard]] std::vector<NBest> search(const StepModel& model,
                                        std::span<const SearchSentence> sentences,
                                        const SearchOptions& options,
                                        SearchControl* control = nullptr);

}  // namespace attend::decode
