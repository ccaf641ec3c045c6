#include "tests/decode/small_pairs.h"

#include "tests/support/tensors.h"

namespace attend::test {

model::ModelOptions small_options(model::WiringKind wiring) {
  model::ModelOptions options;
  options.embedding = 3;
  std::get<model::RecurrentEncoderOptions>(options.encoder).hidden = 4;
  auto& decoder = std::get<model::RecurrentDecoderOptions>(options.decoder);
  decoder.hidden = 5;
  decoder.wiring = wiring;
  options.attention.size = 7;
  return options;
}

std::shared_ptr<model::Seq2Seq> small_model(const model::ModelOptions& options) {
  auto made = std::make_shared<model::Seq2Seq>(options, 11, 11);
  randomize(*made, 3);
  made->eval();
  return made;
}

const Sentences& small_sources() {
  static const Sentences ids = {{4, 9, 10, 5, 3}, {7, 6, 3}, {3}};
  return ids;
}

const Sentences& small_targets() {
  static const Sentences ids = {{5}, {8, 4, 6}, {}};
  return ids;
}

}  // namespace attend::test
