#include "app/export/ctranslate2_model.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "app/export/vocabulary_files.h"
#include "nn/positions.h"
#include "storage/weights_file.h"

namespace attend::app {
namespace {

using model::Activation;
using model::NormPlace;
using nn::DistributionKind;
using nn::PositionKind;
using nn::ScopeKind;
using nn::ScoreKind;

using Weights = std::map<std::string, torch::Tensor>;

/// CTranslate2's number of an activation (ctranslate2/specs/common_spec.py). A gated activation has
/// the same number and a second matrix.
int8_t activation_number(Activation activation) {
  if (activation == Activation::relu) return 0;
  return activation == Activation::swiglu ? 2 : 3;
}

torch::Tensor flag(bool value) {
  return torch::scalar_tensor(value ? 1 : 0, torch::kChar);
}

torch::Tensor number(int64_t value, torch::ScalarType type) {
  return torch::scalar_tensor(value, type);
}

/// Translates the parameters of one model.
class Renaming {
 public:
  Renaming(const Weights& ours, const model::ModelOptions& options)
      : ours_(ours), options_(options) {}

  [[nodiscard]] Ctranslate2Variables run();

 private:
  [[nodiscard]] bool has(const std::string& name) const { return ours_.contains(name); }
  [[nodiscard]] const torch::Tensor& at(const std::string& name) const { return ours_.at(name); }
  void put(const std::string& name, const torch::Tensor& tensor) { theirs_[name] = tensor; }

  void add_linear(const std::string& ours, const std::string& theirs);
  void add_norm(const std::string& ours, const std::string& theirs);
  void add_words(const std::string& side, const std::string& embedding, const std::string& theirs);
  void add_positions(const std::string& side, const model::TransformerOptions& stack);
  void add_stack(const std::string& side, const model::TransformerOptions& stack);
  void add_feed_forward(const std::string& ours, const std::string& theirs);
  void add_self_attention(const std::string& ours, const std::string& theirs,
                          const model::TransformerOptions& stack, ScoreKind score);
  void add_source_attention(const std::string& ours, const std::string& theirs);
  void add_encoder_layer(const model::TransformerEncoderOptions& encoder, const std::string& layer);
  void add_decoder_layer(const model::TransformerDecoderOptions& decoder, const std::string& layer);
  void add_output();
  /// Adds the factor of the products of queries and keys, for heads with `size` features.
  void add_scale(const std::string& theirs, ScoreKind score, int64_t size, double temperature);

  const Weights& ours_;
  const model::ModelOptions& options_;
  Ctranslate2Variables theirs_;
};

void Renaming::add_linear(const std::string& ours, const std::string& theirs) {
  put(theirs + "/weight", at(ours + ".weight"));
  if (has(ours + ".bias")) put(theirs + "/bias", at(ours + ".bias"));
}

void Renaming::add_norm(const std::string& ours, const std::string& theirs) {
  put(theirs + "/gamma", at(ours + ".gain"));
  put(theirs + "/beta", at(ours + ".bias"));
}

void Renaming::add_words(const std::string& side, const std::string& embedding,
                         const std::string& theirs) {
  torch::Tensor words = at(embedding);  // [V, E]
  const std::string projection = side + ".input.projection";
  const bool is_projected = has(projection + ".weight");
  if (is_projected) {
    const double scale = std::sqrt(static_cast<double>(words.size(1)));
    words = at::linear(words * scale, at(projection + ".weight"), at(projection + ".bias"));
  }
  put(theirs + "/weight", words);
  put(side + "/scale_embeddings", flag(!is_projected));
}

void Renaming::add_positions(const std::string& side, const model::TransformerOptions& stack) {
  if (is_one_of(stack.positions, {PositionKind::rotary, PositionKind::relative})) return;
  const int64_t size = model::width_of(stack, options_);
  torch::Tensor table;  // [positions, C]
  if (stack.positions == PositionKind::learned) {
    const torch::Tensor& learned = at(side + ".input.positions.weight");
    const int64_t positions = std::max(kExportedPositions, learned.size(0));
    table = learned.index_select(0, torch::arange(positions).clamp_max(learned.size(0) - 1));
  } else if (stack.positions == PositionKind::sinusoidal) {
    table = nn::sinusoids({0, kExportedPositions}, size, torch::empty({0}));
  } else {
    table = torch::zeros({kExportedPositions, size});
  }
  put(side + "/position_encodings/encodings", table);
}

void Renaming::add_stack(const std::string& side, const model::TransformerOptions& stack) {
  const bool norm_first = stack.norm == NormPlace::pre;
  put(side + "/num_heads", number(stack.heads, torch::kShort));
  put(side + "/pre_norm", flag(norm_first));
  put(side + "/activation", number(activation_number(stack.activation), torch::kChar));
  add_positions(side, stack);
  if (norm_first) add_norm(side + ".norm", side + "/layer_norm");
}

void Renaming::add_feed_forward(const std::string& ours, const std::string& theirs) {
  add_linear(ours + ".feed_forward.inner", theirs + "/ffn/linear_0");
  if (has(ours + ".feed_forward.gated.weight"))
    add_linear(ours + ".feed_forward.gated", theirs + "/ffn/linear_0_noact");
  add_linear(ours + ".feed_forward.outer", theirs + "/ffn/linear_1");
  add_norm(ours + ".feed_forward_norm", theirs + "/ffn/layer_norm");
}

void Renaming::add_scale(const std::string& theirs, ScoreKind score, int64_t size,
                         double temperature) {
  const double scale = score == ScoreKind::dot ? 1.0 : 1.0 / std::sqrt(static_cast<double>(size));
  put(theirs + "/queries_scale", torch::scalar_tensor(scale / temperature, torch::kFloat));
}

void Renaming::add_self_attention(const std::string& ours, const std::string& theirs,
                                  const model::TransformerOptions& stack, ScoreKind score) {
  const std::string heads = ours + ".heads.";
  const torch::Tensor& query = at(heads + "query.weight");
  put(theirs + "/linear_0/weight",
      at::cat({query, at(heads + "key.weight"), at(heads + "value.weight")}));
  add_linear(heads + "output", theirs + "/linear_1");
  const int64_t size = query.size(0) / stack.heads;
  add_scale(theirs, score, size, 1.0);
  if (stack.positions == PositionKind::rotary) {
    put(theirs + "/rotary_dim", number(size, torch::kInt));
    put(theirs + "/rotary_interleave", flag(true));
    put(theirs + "/rotary_base", torch::scalar_tensor(10000.0, torch::kFloat));
  }
  if (stack.positions != PositionKind::relative) return;
  const std::string causal = has(ours + ".attention.scope.keys") ? "" : ".scope";
  put(theirs + "/relative_position_keys", at(ours + ".attention.scope" + causal + ".keys"));
  put(theirs + "/relative_position_values", at(ours + ".attention.scope" + causal + ".values"));
}

void Renaming::add_source_attention(const std::string& ours, const std::string& theirs) {
  const std::string heads = ours + ".heads.";
  const torch::Tensor& query = at(heads + "query.weight");
  torch::Tensor keys_and_values = at::cat({at(heads + "key.weight"), at(heads + "value.weight")});
  if (has("decoder.memory.weight")) {
    put(theirs + "/linear_1/bias", at::mv(keys_and_values, at("decoder.memory.bias")));
    keys_and_values = at::mm(keys_and_values, at("decoder.memory.weight"));
  }
  put(theirs + "/linear_0/weight", query);
  put(theirs + "/linear_1/weight", keys_and_values);
  add_linear(heads + "output", theirs + "/linear_2");
  const nn::AttentionOptions& attention = options_.attention;
  add_scale(theirs, attention.score, query.size(0) / attention.heads, attention.temperature);
  if (!has(ours + ".score.scale")) return;
  put(theirs + "/queries_scale", at(ours + ".score.scale").squeeze(0) / attention.temperature);
}

void Renaming::add_encoder_layer(const model::TransformerEncoderOptions& encoder,
                                 const std::string& layer) {
  const std::string ours = "encoder.layer" + layer, theirs = "encoder/layer_" + layer;
  add_self_attention(ours + ".self_attention", theirs + "/self_attention", encoder,
                     encoder.layer_attention.score);
  add_norm(ours + ".self_attention_norm", theirs + "/self_attention/layer_norm");
  add_feed_forward(ours, theirs);
}

void Renaming::add_decoder_layer(const model::TransformerDecoderOptions& decoder,
                                 const std::string& layer) {
  const std::string ours = "decoder.layer" + layer, theirs = "decoder/layer_" + layer;
  add_self_attention(ours + ".mixer.self_attention", theirs + "/self_attention", decoder,
                     decoder.layer_attention.score);
  add_norm(ours + ".mixer_norm", theirs + "/self_attention/layer_norm");
  add_source_attention(ours + ".attention", theirs + "/attention");
  add_norm(ours + ".attention_norm", theirs + "/attention/layer_norm");
  add_feed_forward(ours, theirs);
}

void Renaming::add_output() {
  if (has("output.projection.weight")) add_linear("output.projection", "decoder/project_out");
  put("decoder/projection/weight",
      at(has("output.weight") ? "output.weight" : "target_embedding.weight"));
  put("decoder/projection/bias", at("output.bias"));
}

Ctranslate2Variables Renaming::run() {
  const auto& encoder = std::get<model::TransformerEncoderOptions>(options_.encoder);
  const auto& decoder = std::get<model::TransformerDecoderOptions>(options_.decoder);
  const std::string source = "source_embedding.weight", target = "target_embedding.weight";
  add_words("encoder", has(source) ? source : target, "encoder/embeddings_0");
  add_words("decoder", target, "decoder/embeddings");
  put("encoder/embeddings_merge", number(0, torch::kChar));  // there is one embedding only
  add_stack("encoder", encoder);
  add_stack("decoder", decoder);
  for (int64_t i = 0; i < encoder.layers; ++i) add_encoder_layer(encoder, std::to_string(i));
  for (int64_t i = 0; i < decoder.layers; ++i) add_decoder_layer(decoder, std::to_string(i));
  const int64_t shown = decoder.alignment_layer > 0 ? decoder.alignment_layer : decoder.layers;
  put("decoder/alignment_layer", number(shown - 1, torch::kShort));
  put("decoder/alignment_heads", number(0, torch::kShort));  // the mean of all
  add_output();
  return std::move(theirs_);
}

/// Adds obstacles in the section of a self-attention, or of the attention to the source.
template <class Attention>
void need_plain_attention(std::vector<Obstacle>& obstacles, const std::string& section,
                          const Attention& attention) {
  need(obstacles, section + ".score", attention.score, {ScoreKind::scaled_dot, ScoreKind::dot});
  need(obstacles, section + ".distribution", attention.distribution, {DistributionKind::softmax});
  need(obstacles, section + ".scope", attention.scope, {ScopeKind::global});
}

void need_decoder(std::vector<Obstacle>& obstacles, const model::TransformerDecoderOptions& decoder,
                  const nn::AttentionOptions& attention) {
  need_plain_attention(obstacles, "model.decoder.layer_attention", decoder.layer_attention);
  need_plain_attention(obstacles, "model.attention", attention);
  need(obstacles, "model.attention.heads", attention.heads, {decoder.heads});
}

std::string config_json(const text::Tokenizer& tokenizer) {
  const nlohmann::json config = {{"add_source_bos", false},
                                 {"add_source_eos", true},
                                 {"bos_token", tokenizer.piece(text::kBos)},
                                 {"decoder_start_token", tokenizer.piece(text::kBos)},
                                 {"eos_token", tokenizer.piece(text::kEos)},
                                 {"layer_norm_epsilon", 1e-5},
                                 {"multi_query_attention", false},
                                 {"unk_token", tokenizer.piece(text::kUnk)}};
  return config.dump(2) + "\n";
}

}  // namespace

std::vector<Obstacle> ctranslate2_obstacles(const Experiment& experiment) {
  std::vector<Obstacle> obstacles;
  need_one_source(obstacles, experiment.data);
  need(obstacles, "data.reverse_target", experiment.data.reverse_target, {false});
  const model::ModelOptions& model = experiment.model;
  const std::string transformer(model::TransformerEncoderOptions::kType);
  need(obstacles, "model.encoder.type", model::type_name(model.encoder), {transformer});
  if (const auto* encoder = std::get_if<model::TransformerEncoderOptions>(&model.encoder))
    need_plain_attention(obstacles, "model.encoder.layer_attention", encoder->layer_attention);
  need(obstacles, "model.decoder.type", model::type_name(model.decoder), {transformer});
  if (const auto* decoder = std::get_if<model::TransformerDecoderOptions>(&model.decoder))
    need_decoder(obstacles, *decoder, model.attention);
  return obstacles;
}

Ctranslate2Variables ctranslate2_variables(const Weights& weights,
                                           const model::ModelOptions& options) {
  const torch::NoGradGuard no_grad;
  return Renaming(weights, options).run();
}

std::vector<ExportedFile> ctranslate2_files(const LoadedModel& loaded, const std::string& format) {
  refuse(ctranslate2_obstacles(loaded.experiment), format, loaded.directory);
  std::vector<ExportedFile> files = vocabulary_files(loaded);
  files.push_back({"config.json", config_json(*loaded.target)});
  files.push_back({"model.bin", ctranslate2_bytes(ctranslate2_variables(
                                    storage::weights_of(*loaded.model), loaded.experiment.model))});
  return files;
}

}  // namespace attend::app
