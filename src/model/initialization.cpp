#include <ATen/CPUGeneratorImpl.h>

#include "core/random.h"
#include "model/seq2seq.h"
#include "nn/parameters.h"

namespace attend::model {

void initialize(Seq2Seq& model, uint64_t seed) {
  for (const auto& module : model.named_modules("", /*include_self=*/false)) {
    auto* block = dynamic_cast<nn::Block*>(module.value().get());
    if (block == nullptr) continue;
    // One generator per block, seeded by its name: new blocks elsewhere do not change these values.
    block->initialize(
        at::detail::createCPUGenerator(stream_seed(seed, "initialisation/" + module.key())));
  }
}

}  // namespace attend::model
