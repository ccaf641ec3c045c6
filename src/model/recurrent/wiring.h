#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "model/recurrent/decoder_stack.h"
#include "model/recurrent/decoder_state.h"

namespace attend::model {

/// A whole target sequence under teacher forcing. What lies beyond the end of a sentence means
/// nothing.
struct Decoded {
  torch::Tensor outputs;  // [B, T, D] pre-output states
  torch::Tensor weights;  // [B, T, S] attention, mean over heads; undefined for the wiring `none`
  torch::Tensor heads;    // [B, heads, T, S]; undefined unless there are several
  nn::Choice choice;      // [B, T] each; undefined unless positions were drawn
};

/// One target position.
struct Advanced {
  torch::Tensor hidden;   // [N, H] what the readout takes from the recurrent side
  torch::Tensor context;  // [N, C]; undefined where the readout does not read it
  torch::Tensor weights;  // [N, S]; undefined for the wiring `none`
  torch::Tensor heads;    // [N, heads, S]; undefined unless there are several
  DecoderState state;     // for the next position
  nn::Choice choice;      // [N] each; undefined unless positions were drawn
};

/// An attention's choice for one target position, [N, 1] -> [N] each.
[[nodiscard]] nn::Choice choice_of_step(const nn::Choice& choice);

/// One target position inside a loop of fused kernels.
struct LoopAdvanced {
  nn::fused::LoopValue hidden;                  // [H]
  std::optional<nn::fused::LoopValue> context;  // [C]; none unless the readout reads it
  std::optional<nn::fused::LoopValue> weights;  // [S]; none for the wiring `none`
  std::vector<nn::LoopState> layers;            // the state for the next position, lowest first
  std::optional<nn::fused::LoopValue> feed;     // of that state; none unless it is fed
};

/// How cells and attention are wired into a decoder. Each target position is a step in three moves:
/// project() the previous words (of all positions at once), advance() the state (one position after
/// the other), and readout() the results (of all positions at once).
class Wiring : public torch::nn::Module {
 public:
  /// embedded [..., E]: the previous words -> [..., gates * H].
  [[nodiscard]] virtual torch::Tensor project(const torch::Tensor& embedded) const = 0;

  /// projected [N, gates * H]; rows of `memory` and `state` correspond. `masks` from draw_masks().
  [[nodiscard]] virtual Advanced advance(const torch::Tensor& projected,
                                         const nn::PreparedMemory& memory,
                                         const DecoderState& state,
                                         const LayerMasks& masks) const = 0;

  /// embedded [..., E], hidden [..., H], context [..., C] -> pre-output states [..., D].
  [[nodiscard]] virtual torch::Tensor readout(const nn::IndexedRows& embedded,
                                              const torch::Tensor& hidden,
                                              const torch::Tensor& context) const = 0;

  /// Completes the bridge's states with whatever else the wiring carries from step to step.
  [[nodiscard]] virtual DecoderState start(const nn::PreparedMemory& memory,
                                           std::vector<nn::CellState> layers) const = 0;

  /// Variational dropout masks for one sequence of N rows.
  [[nodiscard]] virtual LayerMasks draw_masks(int64_t rows, const torch::Tensor& like) const = 0;

  /// D, the size of pre-output states.
  [[nodiscard]] virtual int64_t output_size() const = 0;

  /// What the attention computes once per sentence.
  [[nodiscard]] virtual nn::PreparedMemory prepare(const nn::Memory& memory) const = 0;

  /// Whether unroll() may be called: all parts have a fused form.
  [[nodiscard]] virtual bool is_fusible() const = 0;

  /// Adds project() of the previous words of all steps, [P, E], to a loop.
  [[nodiscard]] virtual nn::fused::LoopValue project(nn::fused::Loop& loop,
                                                     const nn::IndexedRows& embedded) const = 0;

  /// Adds advance() to a loop whose states begin with `start`. `projected` [gates * H] is used up.
  /// Rows of `memory`, `start` and `masks` are in the order of the loop's Packing.
  [[nodiscard]] virtual LoopAdvanced unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                                            const nn::PreparedMemory& memory,
                                            const DecoderState& start,
                                            const LayerMasks& masks) const = 0;

  /// advance() as a loop of one step. Requires: is_fusible(), and tensors that nn::is_fusible().
  [[nodiscard]] Advanced advance_fused(const torch::Tensor& projected,
                                       const nn::PreparedMemory& memory, const DecoderState& state,
                                       const LayerMasks& masks) const;

  /// The whole sequence: embedded [B, T, E] holds the word before each one to be predicted, of
  /// which lengths [B] int64 (on the CPU) are real. Wirings whose steps do not depend on the
  /// attention before them override it to attend to all positions at once.
  [[nodiscard]] virtual Decoded decode(const nn::IndexedRows& embedded,
                                       const torch::Tensor& lengths,
                                       const nn::PreparedMemory& memory,
                                       const DecoderState& start) const;

 private:
  [[nodiscard]] Decoded decode_fused(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                                     const nn::PreparedMemory& memory,
                                     const DecoderState& start) const;
};

}  // namespace attend::model
