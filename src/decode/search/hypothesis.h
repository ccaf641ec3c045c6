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
  double log_prob = 0.0;              ///< nats, summed over the tokens, kEos included
  std::vector<double> token_log_probs = {};  ///< [T + 1] nats: of each token, and of kEos
  double score = 0.0;                        ///< log_prob after the penalties; ranks hypotheses
  torch::Tensor attention;  ///< [T + 1, S] float on the CPU: a row per token and one for kEos, a
                            ///< column per source token; undefined without attention
  torch::Tensor heads;      ///< [heads, T + 1, S]; undefined unless there are several heads
};

/// Best first.
using NBest = std::vector<Hypothesis>;

}  // namespace attend::decode
