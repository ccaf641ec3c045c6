#include "decode/scoring/forced_pairs_check.h"

#include <fmt/format.h>

#include <stdexcept>

namespace attend::decode {

void check_forced_pairs(const model::Seq2Seq& model, std::size_t sources, std::size_t targets,
                        const char* what) {
  if (model.is_training())
    throw std::logic_error(fmt::format("{}: the model is in training mode", what));
  if (sources != targets)
    throw std::logic_error(fmt::format("{}: expected one target per source", what));
}

}  // namespace attend::decode
