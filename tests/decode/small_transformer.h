#pragma once
#include <cstdint>
#include <memory>

#include "model/seq2seq.h"

namespace attend::test {

/// A Transformer with one layer on each side and two heads, from 20 source pieces to
/// `target_vocabulary`, in float and evaluation mode.
[[nodiscard]] std::unique_ptr<model::Seq2Seq> small_transformer(int64_t target_vocabulary);

}  // namespace attend::test
