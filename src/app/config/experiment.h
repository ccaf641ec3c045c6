#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "config/schema.h"
#include "data/options.h"
#include "decode/options.h"
#include "model/options.h"
#include "text/options.h"
#include "train/options.h"

namespace attend::app {

/// A whole config: it determines a training run.
struct Experiment {
  int64_t seed = 1;
  data::DataOptions data;
  text::TokenizerOptions tokenizer;
  model::ModelOptions model;
  train::TrainingOptions training;
  decode::DecodingOptions decoding;
};

void describe(config::Schema<Experiment>& schema);

/// The names that JoeyNMT, OpenNMT-py, Marian, fairseq and Sockeye have for our keys and values, if
/// they differ in more than spelling.
[[nodiscard]] std::span<const config::OtherName> other_names(const Experiment& experiment);

/// Sets defaults that depend on other keys (`set_at`: the keys that are set).
/// - Decoders that are stacks attend to the source by scaled_dot, with the stack's number of heads.
/// - Without a validation set the learning rate is constant and patience is 0 (never).
void settle(Experiment& experiment, const std::map<std::string, config::Place>& set_at);

}  // namespace attend::app
