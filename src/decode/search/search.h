#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "decode/options.h"
#include "decode/scoring/output_constraint.h"
#include "decode/search/hypothesis.h"
#include "decode/search/search_control.h"
#include "decode/step/step_model.h"
#include "text/vocabulary.h"

namespace attend::decode {

/// A sentence to translate, and what steers its search.
struct SearchSentence {
  std::vector<std::vector<text::TokenId>> sources;  ///< one per StepModel::sources(), kEos last
  std::vector<text::TokenId> prefix = {};           ///< the output begins with it
  uint64_t random_stream = 0;                       ///< sampling only: the number of its stream
  /// Target position (from 0) -> the only source position that it attends to.
  std::map<int64_t, int64_t> forced_attention = {};
  std::shared_ptr<const OutputConstraint> constraint = {};  ///< of the output; null: none
};

/// Translates a batch: beam search in log space, or sampling if options.sampling is set.
///
/// Score of a hypothesis of n tokens, kEos included: log_prob / n^length_penalty, plus the coverage
/// penalty. It may have at most max_length_ratio * (source pieces) + 10 pieces, or 10 more than its
/// prefix, if that is more; there kEos is forced, and the hypothesis is marked as not finished
/// unless kEos was the most probable token anyway. With no_repeat_ngram_size tokens beyond the
/// prefix are those alone that repeat no such run; log-probabilities stay those of all.
///
/// A sentence's beam narrows by one with every hypothesis that ends. The sentence is done when none
/// is left, or when no hypothesis alive can still reach the score of the n-th best one, and then
/// leaves the batch. With sampling, n_best hypotheses are drawn independently; each sentence draws
/// from stream(seed, "sampling", random_stream), so that what it gets does not depend on the batch
/// it is in.
///
/// Returns n_best hypotheses per sentence, best first, in the order of the batch: fewer only where
/// the vocabulary is too small, or a constraint too narrow, for as many. Beam search gives distinct
/// ones. With a shortlist, of which each sentence has its own by its pieces in the first source
/// vocabulary, log-probabilities are those of its distribution; not together with constraints.
/// Throws UsageError for options that validate() rejects, NumericError if the model's output is not
/// finite, SearchCancelled if `control` (null: none) says so.
[[nodiscard]] std::vector<NBest> search(const StepModel& model,
                                        std::span<const SearchSentence> sentences,
                                        const SearchOptions& options,
                                        SearchControl* control = nullptr);

}  // namespace attend::decode
