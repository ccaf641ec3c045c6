#pragma once
#include <cstdint>

#include "config/schema.h"
#include "data/options.h"
#include "decode/options.h"
#include "model/options.h"
#include "text/options.h"
#include "train/options.h"

namespace attend::app {

/// A whole config: everything that decides what a training run does.
struct Experiment {
  int64_t seed = 1;
  data::DataOptions data;
  text::TokenizerOptions tokenizer;
  model::ModelOptions model;
  train::TrainingOptions training;
  decode::DecodingOptions decoding;
};

void describe(config::Schema<Experiment>& schema);

}  // namespace attend::app
