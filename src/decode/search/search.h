#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "data/batch.h"
#include "decode/options.h"
#include "decode/scoring/output_constraint.h"
#include "decode/search/hypothesis.h"
#include "decode/search/search_control.h"
#include "decode/step/step_model.h"

namespace attend::decode {

/// A batch of sentences to translate.
struct SearchInput {
  std::vector<data::SentenceBatch>
      sources;  ///< on the CPU, one per StepModel::sources(); all end in kEos
  std::vector<std::vector<text::TokenId>>
      prefixes;                 ///< empty, or what each sentence's output must begin with
  std::vector<uint64_t> lines;  ///< sampling only: the number of each sentence's random stream
  /// Empty, or for each sentence the source position that a target position (from 0) attends to in
  /// place of what the model would.
  std::vector<std::map<int64_t, int64_t>> looks = {};
  std::vector<const OutputConstraint*> constraints =
      {};  ///< empty, or one of each sentence's output (null: none), borrowed
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
/// from stream(seed, "sampling", line), so that what it gets does not depend on the batch it is in.
///
/// Returns n_best hypotheses per sentence, best first, in the order of the batch: fewer only where
/// the vocabulary is too small, or a constraint too narrow, for as many. Beam search gives distinct
/// ones. With a shortlist, of which each sentence has its own by its pieces in the first source
/// vocabulary, log-probabilities are those of its distribution; not together with constraints.
/// Throws UsageError for options that validate() rejects, NumericError if the model's output is not
/// finite, SearchCancelled if `control` (null: none) says so.
[[nodiscard]] std::vector<NBest> search(const StepModel& model, const SearchInput& input,
                                        const SearchOptions& options,
                                        SearchControl* control = nullptr);

}  // namespace attend::decode
