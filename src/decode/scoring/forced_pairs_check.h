#pragma once
#include <cstddef>

#include "model/seq2seq.h"

namespace attend::decode {

/// Throws std::logic_error, which begins with `what`, if the model is in training mode or the
/// numbers of sources and targets differ.
void check_forced_pairs(const model::Seq2Seq& model, std::size_t sources, std::size_t targets,
                        const char* what);

}  // namespace attend::decode
