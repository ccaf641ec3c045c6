#include "tests/decode/small_transformer.h"

namespace attend::test {

std::unique_ptr<model::Seq2Seq> small_transformer(int64_t target_vocabulary) {
  model::ModelOptions options;
  options.embedding = 8;
  auto& encoder = options.encoder.emplace<model::TransformerEncoderOptions>();
  auto& decoder = options.decoder.emplace<model::TransformerDecoderOptions>();
  encoder.heads = decoder.heads = options.attention.heads = 2;
  encoder.feed_forward = decoder.feed_forward = 8;
  options.attention.score = nn::ScoreKind::scaled_dot;
  auto model = std::make_unique<model::Seq2Seq>(options, 20, target_vocabulary);
  model::initialize(*model, 5);
  model->eval();
  return model;
}

}  // namespace attend::test
