#pragma once
#include <cstdint>
#include <memory>

#include "model/seq2seq.h"

namespace attend::test {

/// A Transformer of one layer each and two heads, from 20 source pieces to `target_vocabulary`, in
/// float, not training.
[[nodiscard]] std::unique_ptr<model::Seq2Seq> small_transformer(int64_t target_vocabulary);

}  // namespace attend::test
