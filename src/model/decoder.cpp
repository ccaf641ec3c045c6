#include "model/decoder.h"

namespace attend::model {

TracedDecoding Decoder::trace(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                              const Encoded& encoded) const {
  TracedDecoding traced{decode(embedded, lengths, encoded), {}, {}};
  const Decoded& decoded = traced.decoded;
  if (!decoded.weights.defined()) return traced;
  traced.cross.push_back(decoded.heads.defined() ? decoded.heads : decoded.weights.unsqueeze(1));
  return traced;
}

}  // namespace attend::model
