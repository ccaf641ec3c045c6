// The names that the schema takes from the registries of blocks. The blocks themselves are left out
// because they need LibTorch.
#include <string>
#include <vector>

#include "model/family_names.h"
#include "model/options.h"
#include "model/recurrent/wiring_names.h"
#include "nn/attention/names.h"
#include "nn/rnn/names.h"
#include "train/objective/alignment_loss_names.h"

namespace attend::nn {

std::vector<std::string> cell_names() {
  return {"gru", "lstm", "mingru", "ntm"};
}
bool cell_has_memory(const std::string& name) {
  return name == "ntm";
}
bool cell_has_recurrent_weights(const std::string& name) {
  return name != "mingru";
}
std::vector<std::string> score_names() {
  return {"additive", "convolution", "coverage", "dot", "location", "location_aware", "scaled_dot"};
}
std::vector<std::string> distribution_names() {
  return {"hard", "sigmoid", "softmax"};
}
std::vector<std::string> scope_names() {
  return {"global", "local_m"};
}
std::vector<std::string> per_feature_score_names() {
  return {"additive"};
}
std::string score_meanings() {
  return "";
}
std::string distribution_meanings() {
  return "";
}
std::string scope_meanings() {
  return "";
}

}  // namespace attend::nn

namespace attend::model {

std::vector<std::string> wiring_names() {
  return {"answer", "bahdanau", "conditional", "luong", "none"};
}
std::string wiring_meanings() {
  return "";
}
std::vector<std::string> encoder_names() {
  return {"memory", "recurrent"};
}
std::vector<std::string> decoder_names() {
  return {"recurrent"};
}
bool attends(const ModelOptions& options) {
  return options.decoder.wiring != "none" && options.decoder.wiring != "answer";
}

}  // namespace attend::model

namespace attend::train {

std::vector<std::string> alignment_loss_names() {
  return {"cross_entropy"};
}

}  // namespace attend::train
