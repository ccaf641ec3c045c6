#include <ATen/CPUGeneratorImpl.h>

#include "core/random.h"
#include "model/seq2seq.h"
#include "nn/parameters.h"

namespace attend::model {

void initialize(Seq2Seq& model, uint64_t seed) {
  for (const auto& module : model.named_modules("", /*include_self=*/false)) {
    auto* block = dynamic_cast<nn::Block*>(module.value().get());
    if (block == nullptr) continue;
    // A generator for each block by its name: a new block elsewhere leaves these values as they
    // are.
    block->initialize(
        at::detail::createCPUGenerator(stream_seed(seed, "initialisation/" + module.key())));
  }
}

}  // namespace attend::model
