#include "cli/experiment.h"

namespace attend::cli {

void describe(config::Schema<Experiment>& schema) {
  schema.integer(
      "seed", &Experiment::seed, config::at_least(0),
      "Seed of everything random: first weights, order of the data, dropout, subword sampling.");
  schema.section("data", &Experiment::data, "The texts.");
  schema.section("tokenizer", &Experiment::tokenizer,
                 "How lines are cut into pieces (SentencePiece).");
  schema.section("model", &Experiment::model, "The network.");
  schema.section("training", &Experiment::training, "How the network is trained.");
  schema.section("decoding", &Experiment::decoding,
                 "How the trained network translates, unless told otherwise.");
}

}  // namespace attend::cli
