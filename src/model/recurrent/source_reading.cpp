#include "model/recurrent/source_reading.h"

#include "nn/rnn/sequence.h"

namespace attend::model {
namespace {

data::SentenceBatch reversed(const data::SentenceBatch& source) {
  const torch::Tensor lengths = source.lengths_there();
  const torch::Tensor positions =
      nn::reversed_positions(lengths, source.ids.size(1), /*keep_last=*/1);
  return {nn::gather_positions(source.ids, positions), source.lengths, source.mask};
}

/// Repeated twice, "a b </s>" is "a b a b </s>".
data::SentenceBatch repeated(const data::SentenceBatch& source, int64_t times) {
  const torch::Tensor words = (source.lengths_there() - 1).unsqueeze(1);  // [B, 1]
  const int64_t steps = (source.ids.size(1) - 1) * times + 1;
  const torch::Tensor step = torch::arange(steps, words.options()).unsqueeze(0);  // [1, S']
  const torch::Tensor positions =
      torch::where(step < words * times, step.remainder(words.clamp_min(1)), words);
  const torch::Tensor mask = step <= words * times;
  return {nn::gather_positions(source.ids, positions) * mask, (source.lengths - 1) * times + 1,
          mask};
}

}  // namespace

data::SentenceBatch arrange_source(const data::SentenceBatch& source,
                                   const RecurrentEncoderOptions& options) {
  const data::SentenceBatch turned = options.reverse_source ? reversed(source) : source;
  return options.repeat_source > 1 ? repeated(turned, options.repeat_source) : turned;
}

}  // namespace attend::model
