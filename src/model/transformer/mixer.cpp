#include "model/transformer/mixer.h"

#include "nn/dropout.h"
#include "nn/rnn/sequence.h"
#include "nn/rnn/ssru.h"

namespace attend::model {
namespace {

class SelfAttentionMixer final : public Mixer {
 public:
  explicit SelfAttentionMixer(const LayerOptions& options)
      : dropout_(options.dropout.attention),
        self_attention_(register_module(
            "self_attention",
            std::make_shared<nn::SelfAttention>(options.self_attention, options.size))) {}

  [[nodiscard]] Mixed forward(const torch::Tensor& x, const MixerState& state,
                              const Ancestry& ancestry,
                              nn::AttentionOutputs wanted) const override {
    if (ancestry.now.defined() && !state.cache.values.defined() &&
        self_attention_->has_step_form(x)) {
      nn::SelfAttention::ExtendedHistory extended =
          self_attention_->extend_history(x, state.history, ancestry.now, wanted);
      return {std::move(extended.context),
              {{}, {}, std::move(extended.history)},
              std::move(extended.weights)};
    }
    const nn::KeyValueCache cache = state.history.empty()
                                        ? state.cache
                                        : self_attention_->cache_of(state.history, ancestry.before);
    nn::SelfAttention::Extended extended = self_attention_->extend(x, cache, dropout_, wanted);
    return {std::move(extended.attended.context),
            {std::move(extended.cache), {}, {}},
            std::move(extended.attended.heads)};
  }

  [[nodiscard]] nn::AddedVectors added(const torch::Tensor& x) const override {
    return self_attention_->added(x);
  }

  [[nodiscard]] std::vector<std::string> plain_reasons() const override {
    return self_attention_->plain_reasons();
  }

 private:
  double dropout_;
  std::shared_ptr<nn::SelfAttention> self_attention_;
};

class SsruMixer final : public Mixer {
 public:
  explicit SsruMixer(const LayerOptions& options)
      : ssru_(register_module("ssru", std::make_shared<nn::Ssru>(options.size))) {}

  [[nodiscard]] Mixed forward(const torch::Tensor& x, const MixerState& state, const Ancestry&,
                              nn::AttentionOutputs) const override {
    nn::Ssru::Output output = ssru_->forward(x, state.unit.cell);
    return {std::move(output.outputs), {{}, {{}, std::move(output.cell)}, {}}, {}};
  }

 private:
  std::shared_ptr<nn::Ssru> ssru_;
};

class RecurrentMixer final : public Mixer {
 public:
  RecurrentMixer(nn::CellKind cell, const LayerOptions& options)
      : dropout_(options.dropout.recurrent),
        cell_(register_module(
            "cell", nn::make_cell(cell, options.size, options.size, /*layer_norm=*/false))) {}

  [[nodiscard]] Mixed forward(const torch::Tensor& x, const MixerState& state, const Ancestry&,
                              nn::AttentionOutputs) const override {
    const int64_t rows = x.size(0), steps = x.size(1);
    const torch::Tensor mask =
        nn::dropout_mask({rows, cell_->hidden_size()}, dropout_, is_training(), x);
    const nn::CellState start = state.unit.hidden.defined() ? state.unit : cell_->start(rows, x);
    if (steps == 1) {
      nn::CellState next = cell_->step(cell_->project(x.squeeze(1)), start, mask);
      return {next.hidden.unsqueeze(1), {{}, std::move(next), {}}, {}};
    }
    // Steps beyond the end of a row are computed too, but never read.
    const torch::Tensor lengths =
        torch::full({rows}, steps, torch::TensorOptions(torch::kInt64).device(x.device()));
    nn::SequenceOutput output =
        nn::run_directions({{*cell_, start, mask}}, x, lengths,
                           /*keep_heads=*/false, torch::full({rows}, steps, torch::kInt64));
    return {std::move(output.outputs), {{}, std::move(output.last), {}}, {}};
  }

 private:
  double dropout_;
  std::shared_ptr<nn::RnnCell> cell_;
};

}  // namespace

MixerState MixerState::select(const torch::Tensor& rows) const {
  return {cache.select(rows), unit.select(rows), history};
}

std::shared_ptr<Mixer> make_self_attention_mixer(const LayerOptions& options) {
  return std::make_shared<SelfAttentionMixer>(options);
}

std::shared_ptr<Mixer> make_ssru_mixer(const LayerOptions& options) {
  return std::make_shared<SsruMixer>(options);
}

std::shared_ptr<Mixer> make_recurrent_mixer(nn::CellKind cell, const LayerOptions& options) {
  return std::make_shared<RecurrentMixer>(cell, options);
}

}  // namespace attend::model
