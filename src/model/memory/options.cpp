#include "model/memory/options.h"

namespace attend::model {

int64_t word_parts(const HopOptions& options) {
  return options.tying == HopTying::adjacent ? options.count + 1 : 3;
}

void describe(config::Schema<HopOptions>& schema) {
  using Options = HopOptions;
  schema.integer("count", &Options::count, config::in_range<int64_t>(1, 32),
                 "Number of hops: how often the question attends to the facts.");
  schema.choice("tying", &Options::tying,
                "Parts of a word's vector. adjacent: one more than hops, since neighbouring hops "
                "share a part. layer_wise: three parts for all hops. model.embedding must be a "
                "multiple of the number of parts.");
  schema.choice("words", &Options::words,
                "A fact is the sum of its words: as they are (bag) or weighted by their position.");
  schema.integer(
      "slots", &Options::slots, config::in_range<int64_t>(1, 65536),
      "Number of facts read, counted back from the question; each slot has a vector for its time.");
  schema.number("empty_slots", &Options::empty_slots, config::in_range(0.0, 0.95),
                "In training: probability of an empty slot before a fact, so that times vary.");
  schema.choice("weights", &Options::weights,
                "Weights of the facts: a softmax, or the energies themselves. For a linear start, "
                "train a model with linear, then one with softmax that begins with its parameters "
                "(training.init_from).");
}

void describe(config::Schema<MemoryEncoderOptions>& schema) {
  schema.section("hops", &MemoryEncoderOptions::hops, "How the question attends to the facts.");
}

}  // namespace attend::model
