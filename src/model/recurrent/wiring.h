#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/decoder.h"
#include "model/recurrent/decoder_stack.h"
#include "model/recurrent/recurrent_state.h"

namespace attend::model {

class FusedWiring;

/// One target position.
struct Advanced {
  torch::Tensor hidden;   // [N, H] what the readout takes from the recurrent side
  torch::Tensor context;  // [N, C]; undefined where the readout does not read it
  torch::Tensor weights;  // [N, S]; undefined without attention
  torch::Tensor heads;    // [N, heads, S]; undefined unless there are several
  RecurrentState state;   // for the next position
  nn::Choice choice;      // [N] each; undefined unless positions were drawn
};

/// How cells and attention are wired into a recurrent decoder. Each target position is a step in
/// three moves: project() the previous words (of all positions at once), advance() the state (one
/// position after the other), and readout() the results (of all positions at once). A wiring adds
/// its cells and its attention in its constructor, and says how a position goes through them; what
/// follows from there being cells and an attention (masks, first states, traits) is done here.
class Wiring : public torch::nn::Module {
 public:
  /// Whether the wiring is made with an attention; one that is not says so with a constant of its
  /// own.
  static constexpr bool kAttends = true;

  /// projected [N, gates * H]; rows of `memory` and `state` correspond. `masks` from draw_masks().
  [[nodiscard]] virtual Advanced advance(const torch::Tensor& projected,
                                         const nn::PreparedMemory& memory,
                                         const RecurrentState& state,
                                         const LayerMasks& masks) const = 0;

  /// embedded [..., E], hidden [..., H], context [..., C] -> pre-output states [..., D].
  [[nodiscard]] virtual torch::Tensor readout(const nn::IndexedRows& embedded,
                                              const torch::Tensor& hidden,
                                              const torch::Tensor& context) const = 0;

  /// D, the size of pre-output states.
  [[nodiscard]] virtual int64_t output_size() const = 0;

  /// Completes the bridge's states with whatever else the wiring carries from step to step.
  [[nodiscard]] virtual RecurrentState start(const nn::PreparedMemory& memory,
                                             std::vector<nn::CellState> layers) const;

  /// The whole sequence, step by step: embedded [B, T, E] holds the word before each one to be
  /// predicted. Wirings whose steps do not depend on the attention before them override it to
  /// attend to all positions at once.
  [[nodiscard]] virtual Decoded decode(const torch::Tensor& embedded,
                                       const nn::PreparedMemory& memory,
                                       const RecurrentState& start) const;

  /// A whole sequence, and where the heads of its cells' memories are after each step: [B, heads,
  /// T, M] of each layer, lowest first.
  struct Traced {
    Decoded decoded;
    LayerMaps memory;
  };
  /// decode(), always step by step. Requires: lowest().has_memory().
  [[nodiscard]] Traced trace(const torch::Tensor& embedded, const nn::PreparedMemory& memory,
                             const RecurrentState& start) const;

  /// Its part in loops of fused kernels; null: it has none and is computed step by step.
  [[nodiscard]] virtual const FusedWiring* fused() const { return nullptr; }
  /// The settings because of which it is; empty: all of its parts have a fused form, too.
  [[nodiscard]] std::vector<std::string> plain_reasons() const;

  /// The cell that reads the words: its project() of them is what advance() takes.
  [[nodiscard]] const nn::RnnCell& lowest() const { return *cells_.front(); }
  /// Null: the wiring has none.
  [[nodiscard]] const nn::Attention* attention() const { return attention_.get(); }

  /// What the attention computes once per sentence; without one the memory as it is.
  [[nodiscard]] nn::PreparedMemory prepare(const nn::Memory& memory) const;

  /// Masks of variational dropout for one sequence of N rows, one for each cell in the order in
  /// which they were added. Drawn anew at each call in training and all undefined otherwise.
  [[nodiscard]] LayerMasks draw_masks(int64_t rows, const torch::Tensor& like) const;

 protected:
  explicit Wiring(const DropoutOptions& dropout) : dropout_(dropout) {}

  /// Registers a part under `name`. The first cell added is lowest().
  std::shared_ptr<nn::RnnCell> add(const std::string& name, std::shared_ptr<nn::RnnCell> cell);
  std::shared_ptr<DecoderStack> add(const std::string& name, std::shared_ptr<DecoderStack> stack);
  /// Under the name "attention".
  std::shared_ptr<nn::Attention> add(std::shared_ptr<nn::Attention> attention);

  /// What the attention answers to query [N, H]. Yet to be filled in: `hidden`, and of the state
  /// `layers` and `feed`.
  [[nodiscard]] Advanced attend(const torch::Tensor& query, const nn::PreparedMemory& memory,
                                const RecurrentState& state) const;

  /// The same inside a loop that begins with `start`, query [H].
  [[nodiscard]] nn::LoopAttended attend(nn::fused::Loop& loop, nn::fused::LoopValue query,
                                        const nn::PreparedMemory& memory,
                                        const RecurrentState& start) const;

  [[nodiscard]] const DropoutOptions& dropout() const { return dropout_; }

 private:
  /// Is told the state after each step.
  using StateListener = std::function<void(const RecurrentState&)>;
  [[nodiscard]] Decoded decode_steps(const torch::Tensor& embedded,
                                     const nn::PreparedMemory& memory, const RecurrentState& start,
                                     const StateListener& listener) const;

  DropoutOptions dropout_;
  std::vector<std::shared_ptr<nn::RnnCell>> cells_;
  std::shared_ptr<nn::Attention> attention_;
};

}  // namespace attend::model
