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
  double sigma = 0.15;  ///< deviation of the noise, as a share of max - min over the source's
                        ///< embeddings (Ding et al. 2019 take 0.15 and 30 samples)
  uint64_t seed = 1;    ///< the stream "saliency" of this seed, of its own for each sentence
};

/// The implicit attention of any network, of one without attention too: how much each source token
/// matters for each target token,
///   a[t, s] = sum_e | x[s, e] * d log p(y[t] | y[<t], x) / d x[s, e] |,
/// x[s] the embedding at source position s, rows scaled to sum to 1 (Simonyan et al. 2013, arXiv
/// 1312.6034; Li et al. 2016, arXiv 1506.01066; as alignment Ding, Xu & Koehn 2019, arXiv
/// 1906.10282, who sum without the bars and keep what is positive). All readings of a source that
/// the model reads several times count towards the one position.
///
/// `targets` without kBos and kEos (may be empty); `sentences`: a number of each pair that does not
/// depend on the batch (its line, say), from which its noise is drawn. Per pair a [T + 1, S] float
/// tensor on the CPU, as ForcedDecoding::attention: the last row is kEos, the last column the
/// source's kEos. A row is zero where nothing in the source has any influence.
///
/// One backward pass per target position of the batch (times `samples`); memory is that of one
/// training step on the batch. The parameters' gradients are neither read nor changed. Throws
/// std::logic_error if `model` is in training mode, the sizes differ, or it is called under
/// c10::InferenceMode, which has no gradients.
[[nodiscard]] std::vector<torch::Tensor> saliency(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets, std::span<const int64_t> sentences,
    const SaliencyOptions& options);

}  // namespace attend::decode
