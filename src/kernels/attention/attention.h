#pragma once
#include <cstdint>
#include <memory>

#include "kernels/attention/distribution.h"
#include "kernels/layer/series.h"

namespace attend::kernels {

/// The values that the rows of a step attend to; AttentionEnergy holds the keys. Each sentence has
/// one memory of S positions per head. Each row of a step is one query: the h heads of a hypothesis
/// are h consecutive rows.
template <class T>
struct AttentionMemory {
  int64_t positions = 0;             // S
  int64_t size = 0;                  // C: size of values
  const T* values = nullptr;         // [sentences * heads, S, C]
  T* d_values = nullptr;             // the same, added to; null in the forward pass
  const int64_t* lengths = nullptr;  // [sentences] real positions, >= 0; the others get weight 0
  const int64_t* owners = nullptr;   // [hypotheses] the sentence of each; null: hypothesis i has
                                     // sentence i. Gradients require that all sentences differ
  int64_t heads = 1;
};

/// The real positions that a row sees: all of them, or those from c - D to c + D around a centre c,
/// where D is `reach`.
template <class T>
struct AttentionView {
  int64_t reach = -1;    // D; negative: all positions
  int64_t position = 0;  // target position t of the first step; c = t, limited to the last real
                         // position (Luong, Pham & Manning 2015, Sec. 3.2, local-m)
  Series<T> place = {};  // [., 1] z; if it has values, c = length sigmoid(z), and the weights are
                         // multiplied by exp(-(s - c)^2 / (2 (D / 2)^2)) (local-p, Eq. 9, 10)
  int64_t visible = 0;   // positions from here on have no energy and get weight 0; 0: no limit
};

/// One row of a step, and the positions that it sees.
struct AttentionQuery {
  int64_t step = 0;
  int64_t row = 0;             // row of the step
  int64_t memory = 0;          // index into [sentences * heads]
  int64_t begin = 0, end = 0;  // positions

  [[nodiscard]] int64_t count() const { return end - begin; }
};

/// Compares a query with the keys of its memory. Several threads call it in parallel, for different
/// rows.
template <class T>
class AttentionEnergy {
 public:
  virtual ~AttentionEnergy() = default;
  /// Writes energies[s] of the positions that the query sees; `energies` [S].
  virtual void forward(const AttentionQuery& query, T* energies) = 0;
  /// Given d_energies[s], adds the gradients of everything that forward() read.
  virtual void backward(const AttentionQuery& query, const T* d_energies) = 0;
  /// Call it after the last step of a pass.
  virtual void finish() {}
};

/// Turns energies into weights and a context:
///   weights = distribution(energies + noise);  context = sum_s m_s weights_s values_s
template <class T>
struct AttentionResult {
  Distribution distribution;
  Series<T> weights;         // [., S]
  Series<T> kept;            // [., S] if distribution.keeps(), else without values
  const T* mask = nullptr;   // [., S] m for all rows of all steps; null: ones
  Series<T> context;         // [., C]
  const T* noise = nullptr;  // [., S], laid out as the mask; null: none
};

}  // namespace attend::kernels
