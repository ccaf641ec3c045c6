#include "tests/model/small_models.h"

#include <variant>

#include "nn/loss.h"
#include "nn/rnn/names.h"
#include "tests/support/tensors.h"

namespace attend::test {

model::ModelOptions small_options(model::WiringKind wiring, nn::CellKind cell) {
  model::ModelOptions options;
  options.embedding = 3;
  model::RecurrentEncoderOptions& encoder = recurrent_encoder(options);
  model::RecurrentDecoderOptions& decoder = recurrent_decoder(options);
  encoder.cell = decoder.cell = cell;
  encoder.hidden = 4;
  decoder.hidden = 5;
  decoder.wiring = wiring;
  options.attention.size = 7;
  if (nn::cell_has_memory(cell)) encoder.memory = decoder.memory = {5, 3, 2, nn::Controller::lstm};
  return options;
}

model::ModelOptions transformer_options(const model::EncoderOptions& encoder,
                                        const model::DecoderOptions& decoder) {
  model::ModelOptions options = small_options(model::WiringKind::luong, nn::CellKind::gru);
  options.embedding = 5;
  options.attention.score = nn::ScoreKind::scaled_dot;
  options.attention.heads = 2;
  if (std::holds_alternative<model::TransformerEncoderOptions>(encoder)) {
    options.encoder = encoder;
    auto& stack = transformer_encoder(options);
    stack.width = 6;
    stack.heads = 3;
    stack.feed_forward = 7;
    stack.layers = 2;
    stack.max_positions = 3;
    stack.layer_attention.max_distance = 2;
  }
  if (!std::holds_alternative<model::RecurrentDecoderOptions>(decoder)) {
    options.decoder = decoder;
    auto& stack = stack_decoder(options);
    stack.width = 8;
    stack.heads = 2;
    stack.feed_forward = 9;
    stack.layers = 2;
    stack.max_positions = 3;
    options.attention.heads = 4;
  }
  if (std::holds_alternative<model::TransformerDecoderOptions>(decoder)) {
    transformer_decoder(options).layer_attention.max_distance = 2;
  }
  return options;
}

model::RecurrentEncoderOptions& recurrent_encoder(model::ModelOptions& options) {
  return std::get<model::RecurrentEncoderOptions>(options.encoder);
}

model::RecurrentDecoderOptions& recurrent_decoder(model::ModelOptions& options) {
  return std::get<model::RecurrentDecoderOptions>(options.decoder);
}

model::TransformerEncoderOptions& transformer_encoder(model::ModelOptions& options) {
  return std::get<model::TransformerEncoderOptions>(options.encoder);
}

model::TransformerDecoderOptions& transformer_decoder(model::ModelOptions& options) {
  return std::get<model::TransformerDecoderOptions>(options.decoder);
}

model::StackDecoderOptions& stack_decoder(model::ModelOptions& options) {
  return std::visit(
      []<class Family>(Family& family) -> model::StackDecoderOptions& {
        if constexpr (std::is_base_of_v<model::StackDecoderOptions, Family>) {
          return family;
        } else {
          throw std::bad_variant_access();
        }
      },
      options.decoder);
}

std::vector<model::DecoderOptions> all_decoders() {
  std::vector<model::DecoderOptions> decoders = stack_decoders();
  decoders.emplace_back(model::RecurrentDecoderOptions());
  return decoders;
}

std::vector<model::DecoderOptions> stack_decoders() {
  return {model::TransformerDecoderOptions(), model::SsruDecoderOptions(),
          model::GruDecoderOptions(), model::LstmDecoderOptions()};
}

std::vector<model::DecoderOptions> unit_decoders() {
  return {model::SsruDecoderOptions(), model::GruDecoderOptions(), model::LstmDecoderOptions()};
}

std::shared_ptr<model::Seq2Seq> small_model(const model::ModelOptions& options, uint64_t seed) {
  auto made = std::make_shared<model::Seq2Seq>(options, kSourceVocabulary, kTargetVocabulary);
  randomize(*made, seed);
  made->eval();
  return made;
}

data::SentenceBatch sentences(const std::vector<std::vector<text::TokenId>>& ids) {
  return data::pad(ids);
}

Pairs three_pairs() {
  const auto output = sentences({{5, 3}, {8, 4, 6, 3}, {7, 5, 3}}).ids;
  return {sentences({{4, 9, 10, 5, 3}, {7, 6, 3}, {3}}),
          sentences({{2, 5}, {2, 8, 4, 6}, {2, 7, 5}}), output};
}

Pairs three_pairs_of_two_sources() {
  Pairs pairs = three_pairs();
  pairs.source = sentences({{4, 9, 3, 10, 5, 3}, {7, 3, 6, 3}, {3, 3}});
  return pairs;
}

data::SentenceBatch select(const data::SentenceBatch& batch, const torch::Tensor& rows) {
  return {batch.ids.index_select(0, rows), batch.lengths.index_select(0, rows),
          batch.mask.index_select(0, rows)};
}

data::SentenceBatch repadded(const data::SentenceBatch& batch, int64_t extra) {
  const int64_t steps = batch.lengths.max().item<int64_t>() + extra;
  const int64_t missing = steps - batch.ids.size(1);
  return {at::constant_pad_nd(batch.ids, {0, missing}, text::kPad), batch.lengths,
          mask_of(batch.lengths, steps)};
}

torch::Tensor log_probs(const model::Seq2Seq& model, const model::Decoded& decoded) {
  return model.logits(decoded.outputs).log_softmax(-1);
}

torch::Tensor mean_loss(const model::Seq2Seq& model, const Pairs& pairs) {
  const model::Decoded decoded = model.decode(model.encode(pairs.source), pairs.target_input);
  const torch::Tensor outputs = nn::real_positions(decoded.outputs, pairs.target_input.mask);
  const torch::Tensor targets = pairs.target_output.masked_select(pairs.target_input.mask);
  const nn::CrossEntropy sum = nn::cross_entropy(model.logits(outputs), targets, 0.1);
  return sum.objective / targets.numel();
}

}  // namespace attend::test
