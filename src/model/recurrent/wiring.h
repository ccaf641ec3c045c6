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
struct WiringStep {
  torch::Tensor hidden;      // [N, H] input of the readout from the recurrent side
  torch::Tensor context;     // [N, C]; undefined if the readout does not read it
  torch::Tensor weights;     // [N, S]; undefined without attention
  torch::Tensor heads;       // [N, heads, S]; undefined unless there are several
  RecurrentState state;      // for the next position
  nn::DrawnPositions drawn;  // [N] each; undefined unless positions were drawn
};

/// How cells and attention form a recurrent decoder. Each target position takes three calls:
/// project() for the previous words (all positions at once), advance() for the state (one position
/// after another), and readout() for the results (all positions at once). A subclass adds its cells
/// and attention in its constructor and defines how a position passes through them. This class
/// derives masks, first states and properties from these parts.
class Wiring : public torch::nn::Module {
 public:
  /// True if the wiring is constructed with an attention; wirings without one redefine it.
  static constexpr bool kAttends = true;

  /// Runs one position: projected [N, gates * H]; rows of `memory` and `state` correspond; `masks`
  /// are from draw_masks().
  [[nodiscard]] virtual WiringStep advance(const torch::Tensor& projected,
                                           const nn::PreparedMemory& memory,
                                           const RecurrentState& state,
                                           const LayerMasks& masks) const = 0;

  /// embedded [..., E], hidden [..., H], context [..., C] -> pre-output states [..., D].
  [[nodiscard]] virtual torch::Tensor readout(const nn::IndexedRows& embedded,
                                              const torch::Tensor& hidden,
                                              const torch::Tensor& context) const = 0;

  /// D, the size of pre-output states.
  [[nodiscard]] virtual int64_t output_size() const = 0;

  /// The first state: the bridge's `layers` and whatever else the wiring carries between steps.
  [[nodiscard]] virtual RecurrentState start(const nn::PreparedMemory& memory,
                                             std::vector<nn::CellState> layers) const;

  /// Decodes the whole sequence step by step. embedded [B, T, E] holds the word before each
  /// predicted one. Wirings whose steps do not depend on earlier attention override it to attend
  /// for all positions at once.
  [[nodiscard]] virtual Decoded decode(const torch::Tensor& embedded,
                                       const nn::PreparedMemory& memory,
                                       const RecurrentState& start) const;

  /// Result for a whole sequence, with the weights of the memory heads of its cells after each
  /// step: [B, heads, T, M] for each layer, lowest first.
  struct Traced {
    Decoded decoded;
    LayerMaps memory;
  };
  /// decode(), always step by step. Requires: lowest().has_memory().
  [[nodiscard]] Traced trace(const torch::Tensor& embedded, const nn::PreparedMemory& memory,
                             const RecurrentState& start) const;

  /// The wiring's interface to loops of fused kernels; null if it is computed step by step.
  [[nodiscard]] virtual const FusedWiring* fused() const { return nullptr; }
  /// Names the config settings that prevent the fused form. Empty if all parts have one.
  [[nodiscard]] std::vector<std::string> plain_reasons() const;

  /// The cell that reads the words; advance() takes this cell's projection of the words.
  [[nodiscard]] const nn::RnnCell& lowest() const { return *cells_.front(); }
  /// Null if the wiring has no attention.
  [[nodiscard]] const nn::Attention* attention() const { return attention_.get(); }

  /// The memory as the attention prepares it, once per sentence; unchanged without attention.
  [[nodiscard]] nn::PreparedMemory prepare(const nn::Memory& memory) const;

  /// Draws masks of variational dropout for one sequence of N rows: one for each cell, in the order
  /// in which they were added. New masks at each call in training, all undefined otherwise.
  [[nodiscard]] LayerMasks draw_masks(int64_t rows, const torch::Tensor& like) const;

 protected:
  explicit Wiring(const DropoutOptions& dropout) : dropout_(dropout) {}

  /// Registers a part under `name`. The first cell added is lowest().
  std::shared_ptr<nn::RnnCell> add(const std::string& name, std::shared_ptr<nn::RnnCell> cell);
  std::shared_ptr<DecoderStack> add(const std::string& name, std::shared_ptr<DecoderStack> stack);
  /// Registers the attention as "attention".
  std::shared_ptr<nn::Attention> add(std::shared_ptr<nn::Attention> attention);

  /// The attention's result for query [N, H]. Callers fill in `hidden`, `state.layers`,
  /// `state.feed`.
  [[nodiscard]] WiringStep attend(const torch::Tensor& query, const nn::PreparedMemory& memory,
                                  const RecurrentState& state) const;

  /// attend() for query [H] inside a loop that begins with `start`.
  [[nodiscard]] nn::LoopAttended attend(nn::fused::Loop& loop, nn::fused::LoopValue query,
                                        const nn::PreparedMemory& memory,
                                        const RecurrentState& start) const;

  [[nodiscard]] const DropoutOptions& dropout() const { return dropout_; }

 private:
  /// Called with the state after each step.
  using StateListener = std::function<void(const RecurrentState&)>;
  [[nodiscard]] Decoded decode_steps(const torch::Tensor& embedded,
                                     const nn::PreparedMemory& memory, const RecurrentState& start,
                                     const StateListener& listener) const;

  DropoutOptions dropout_;
  std::vector<std::shared_ptr<nn::RnnCell>> cells_;
  std::shared_ptr<nn::Attention> attention_;
};

}  // namespace attend::model
