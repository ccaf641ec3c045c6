#pragma once
// A small model around an unregistered score, built from existing parts.
#include <memory>
#include <utility>

#include "model/recurrent/luong_wiring.h"
#include "model/recurrent/recurrent_decoder.h"
#include "model/registry.h"
#include "model/seq2seq.h"
#include "nn/attention/registry.h"
#include "nn/linear.h"

namespace attend::test {

/// Builds the model of `options` with the wiring `luong`, and `score` instead of its own score.
inline std::shared_ptr<model::Seq2Seq> model_with_score(const model::ModelOptions& options,
                                                        int64_t source_vocabulary,
                                                        int64_t target_vocabulary,
                                                        std::shared_ptr<nn::AttentionScore> score) {
  const auto encoder = model::make_encoder(options);
  const model::EncoderShape shape = encoder->shapes().front();
  const auto attention = std::make_shared<nn::Attention>(
      nn::AttentionParts{std::move(score), nn::make_distribution(options.attention),
                         nn::make_scope(options.attention,
                                        {model::recurrent_decoder(options).hidden, shape.size})},
      shape.size);
  const auto wiring = std::make_shared<model::LuongWiring>(options, attention);
  return std::make_shared<model::Seq2Seq>(
      options, source_vocabulary, target_vocabulary, encoder,
      std::make_shared<model::RecurrentDecoder>(options, shape, wiring));
}

/// Compares the keys with the query, shifted by the attention weights a_r of the previous step:
///   e_s = k_s . (W q + b + v sum_r (r + 1) a_r)
/// It has a fused form with a bias on the query, and it reads the attention history.
class HistoryScore final : public nn::AttentionScore, public nn::FusedScore {
 public:
  explicit HistoryScore(nn::ScoreSizes sizes)
      : weight_(register_parameter("weight", torch::zeros({sizes.memory, sizes.query}))),
        bias_(register_parameter("bias", torch::zeros({sizes.memory}))),
        vector_(register_parameter("vector", torch::zeros({sizes.memory}))) {}

  [[nodiscard]] torch::Tensor prepare(const nn::Memory& memory) const override {
    return memory.keys;
  }
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const nn::PreparedMemory& memory,
                                     const nn::AttentionState& state) const override {
    const torch::Tensor moved = nn::linear(query, weight_, bias_) +
                                at::linear(state.previous, places(state.previous)).unsqueeze(1);
    return at::bmm(moved, memory.keys.transpose(1, 2));
  }
  [[nodiscard]] bool reads_history() const override { return true; }
  [[nodiscard]] bool is_pointwise() const override { return false; }
  [[nodiscard]] const nn::FusedScore* fused() const override { return this; }
  [[nodiscard]] nn::LoopScore unroll(nn::fused::Loop& loop,
                                     const nn::LoopQuery& asked) const override {
    const nn::fused::LoopValue moved = loop.broadcast(bias_);
    loop.add_linear(asked.query, weight_, moved);
    loop.add_linear(asked.weights.before(), places(asked.start.previous), moved);
    return {moved, nn::fused::DotEnergy{}};
  }
  void initialize(const at::Generator&) override {}

 private:
  /// [A, S]: v times the position (from 1), for `weights` [N, S].
  [[nodiscard]] torch::Tensor places(const torch::Tensor& weights) const {
    return vector_.unsqueeze(1) * (torch::arange(weights.size(1), weights.options()) + 1);
  }

  torch::Tensor weight_;  // [A, H]
  torch::Tensor bias_;    // [A]
  torch::Tensor vector_;  // [A], v
};

}  // namespace attend::test
