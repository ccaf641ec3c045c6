#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "data/batch.h"
#include "model/seq2seq.h"

namespace attend::decode {

/// SmoothGrad (Smilkov et al. 2017, arXiv 1706.03825): the saliency is averaged over copies of the
/// source embeddings with normal noise added.
struct SaliencyOptions {
  int64_t samples = 0;  ///< noisy copies; 0: no noise, the plain gradient
  double sigma = 0.15;  ///< standard deviation of the noise as a share of max - min over the source
                        ///< embeddings (Ding et al. 2019: 0.15 and 30 samples)
  uint64_t seed = 1;    ///< seed of the streams "saliency", one per sentence
};

/// The implicit attention of any network, with or without attention: the influence of each source
/// token on each target token,
///   a[t, s] = sum_e | x[s, e] * d log p(y[t] | y[<t], x) / d x[s, e] |,
/// where x[s] is the embedding at source position s; rows are scaled to sum to 1 (Simonyan et al.
/// 2013, arXiv 1312.6034; Li et al. 2016, arXiv 1506.01066; as alignment: Ding, Xu & Koehn 2019,
/// arXiv 1906.10282, who sum signed values and keep the positive part). If a model embeds its
/// source several times, a position's influence is summed over all of them.
///
/// `targets` are without kBos and kEos (may be empty). `sentences` holds a number for each pair
/// that does not depend on the batch (such as its line) and selects its noise. Returns per pair a
/// [T + 1, S] float tensor on the CPU, like ForcedDecoding::attention: the last row is kEos, the
/// last column the source's kEos. A row is 0 if no source token has any influence.
///
/// Needs one backward pass per target position of the batch (times `samples`) and the memory of one
/// training step. Does not read or change the parameters' gradients. Throws std::logic_error if
/// `model` is in training mode, the sizes differ, or c10::InferenceMode, which forbids gradients,
/// is on.
[[nodiscard]] std::vector<torch::Tensor> saliency(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets, std::span<const int64_t> sentences,
    const SaliencyOptions& options);

/// Plain saliency of given words in place of the target's: row t of the result, [T + 1, S],
/// explains words[t] after the first t tokens of `target`. Both are without kBos and kEos, `source`
/// without kEos; `words` has one token more than `target`. Needs one backward pass for every 64
/// rows. Throws what saliency() throws.
[[nodiscard]] torch::Tensor saliency_of_words(const model::Seq2Seq& model,
                                              const std::vector<text::TokenId>& source,
                                              const std::vector<text::TokenId>& target,
                                              std::span<const text::TokenId> words);

/// The last row of saliency_of_words(), [S], if the last word is `word`, in one backward pass.
[[nodiscard]] torch::Tensor saliency_of_word(const model::Seq2Seq& model,
                                             const std::vector<text::TokenId>& source,
                                             const std::vector<text::TokenId>& target,
                                             text::TokenId word);

}  // namespace attend::decode
