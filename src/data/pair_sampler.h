#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/augmentation.h"
#include "data/batching.h"
#include "data/corpus_reader.h"

namespace attend::data {

/// Draws the form in which pairs are read in an epoch: a change of their text (data.augment), and
/// sampled pieces (tokenizer.sampling, Tokenizer::sample_again). The form depends only on the seed,
/// the epoch and the pair's line number, not on the batch or the thread. A tag stays the first
/// piece. A change is dropped if a side would then have no piece or more than data.max_length; a
/// side keeps its usual pieces if the sampled ones would. Of two joined pairs, the second has the
/// numbers of its placeholders after those of the first. The text is decoded from the pieces, not
/// read again: it is normalised and has no unknown characters.
class PairSampler {
 public:
  /// Borrows the tokenizers. `alpha` is tokenizer.sampling; 0: the usual pieces.
  PairSampler(const TokenizerPair& tokenizers, const DataOptions& options, double alpha,
              uint64_t seed);

  /// Draws the form of `pairs`, in this order, with origins if the corpus has attention goals.
  /// Thread-safe.
  [[nodiscard]] CutPairs cut(const ParallelCorpus& corpus, std::span<const int64_t> pairs,
                             uint64_t epoch) const;

 private:
  using Ids = std::vector<text::TokenId>;
  /// The sides of an example.
  struct Example {
    std::vector<Ids> sources;
    Ids target;
  };
  [[nodiscard]] static Example stored(const ParallelCorpus& corpus, int64_t pair);
  [[nodiscard]] bool has_tag(const Ids& ids) const;
  [[nodiscard]] bool fits(const Example& example) const;
  /// The pair after its change; nothing if no change is drawn or the result does not fit.
  [[nodiscard]] std::optional<Example> augmented(const ParallelCorpus& corpus, int64_t pair,
                                                 uint64_t seed) const;
  /// Requires: `change` is made within a line.
  [[nodiscard]] Ids changed_source(Ids ids, Change change, uint64_t seed) const;
  /// False if there are not enough placeholders for both.
  [[nodiscard]] bool join(Example& example, Example next) const;
  [[nodiscard]] Ids cut_side(const text::Tokenizer& tokenizer, Ids ids, uint64_t seed) const;
  [[nodiscard]] Ids cut_source(Ids ids, uint64_t seed) const;

  /// The placeholders of a vocabulary, by number; none if nothing is protected.
  struct Placeholders {
    Ids source;
    Ids target;
  };

  TokenizerPair tokenizers_;
  std::vector<text::TokenId> tags_;
  Placeholders placeholders_;
  AugmentOptions augment_;
  std::size_t max_length_;
  double alpha_;
  uint64_t seed_;
};

}  // namespace attend::data
