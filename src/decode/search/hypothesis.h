#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "text/vocabulary.h"

namespace attend::decode {

/// One translation of one sentence.
struct Hypothesis {
  std::vector<text::TokenId> tokens;  ///< without kBos and without the final kEos
  bool finished = true;               ///< false: cut at the length limit, where kEos was forced
  double log_prob = 0.0;              ///< sum over the tokens, kEos included; nats
  double score = 0.0;       ///< log_prob after the penalties: what hypotheses are ranked by
  torch::Tensor attention;  ///< [T + 1, S] float on the CPU: a row per token and one for kEos, a
                            ///< column per real source token; undefined without attention
  torch::Tensor heads;      ///< [heads, T + 1, S]; undefined unless there are several
};

/// Best first.
using NBest = std::vector<Hypothesis>;

}  // namespace attend::decode
