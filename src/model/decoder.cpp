#include "model/decoder.h"

namespace attend::model {

TracedDecoding Decoder::trace(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                              const Encoded& encoded) const {
  return with_attention(decode(embedded, lengths, encoded));
}

TracedDecoding Decoder::with_attention(Decoded decoded) {
  TracedDecoding traced{std::move(decoded), {}, {}};
  const Decoded& of = traced.decoded;
  if (!of.weights.defined()) return traced;
  traced.cross.push_back(of.heads.defined() ? of.heads : of.weights.unsqueeze(1));
  return traced;
}

}  // namespace attend::model
