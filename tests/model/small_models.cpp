#include "tests/model/small_models.h"

#include "nn/loss.h"
#include "nn/rnn/names.h"
#include "tests/support/tensors.h"

namespace attend::test {

model::ModelOptions small_options(const std::string& wiring, const std::string& cell) {
  model::ModelOptions options;
  options.embedding = 3;
  options.encoder.cell = cell;
  options.encoder.hidden = 4;
  options.decoder.cell = cell;
  options.decoder.hidden = 5;
  options.decoder.wiring = wiring;
  options.attention.size = 7;
  if (nn::cell_has_memory(cell))
    options.encoder.memory = options.decoder.memory = {5, 3, 2, "lstm"};
  return options;
}

model::ModelOptions transformer_options(const std::string& encoder, const std::string& decoder) {
  model::ModelOptions options = small_options("luong", "gru");
  options.embedding = 5;
  options.encoder.type = encoder;
  options.decoder.type = decoder;
  options.encoder.width = 6;
  options.encoder.heads = 3;
  options.encoder.feed_forward = 7;
  options.decoder.width = 8;
  options.decoder.heads = 2;
  options.decoder.feed_forward = 9;
  for (model::TransformerOptions* stack :
       {static_cast<model::TransformerOptions*>(&options.encoder),
        static_cast<model::TransformerOptions*>(&options.decoder)}) {
    stack->max_positions = 3;
    stack->layer_attention.max_distance = 2;
  }
  options.encoder.layers = encoder == "recurrent" ? 1 : 2;
  options.decoder.layers = decoder == "recurrent" ? 1 : 2;
  options.attention.score = "scaled_dot";
  options.attention.heads = decoder == "recurrent" ? 2 : 4;
  return options;
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
