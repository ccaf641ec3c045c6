#pragma once
#include <cstdint>
#include <memory>

#include "kernels/attention/distribution.h"
#include "kernels/layer/series.h"

namespace attend::kernels {

/// What the rows of a step attend to: the keys, which an AttentionEnergy knows, and the values of
/// sentences, of which each has one memory of S positions for each head. A row of a step is one
/// query, so that the h heads of a hypothesis are h rows, one after the other.
template <class T>
struct AttentionMemory {
  int64_t positions = 0;             // S
  int64_t size = 0;                  // C: size of values
  const T* values = nullptr;         // [sentences * heads, S, C]
  T* d_values = nullptr;             // the same, added to; null in the forward pass
  const int64_t* lengths = nullptr;  // [sentences] real positions, >= 0; the others get weight 0
  const int64_t* owners = nullptr;   // [hypotheses] the sentence of each; null: i is sentence i.
                                     // Requires, for gradients: no two are of one sentence
  int64_t heads = 1;
};

/// Which of the real positions a row sees. All, unless a `reach` D is given: then those from c - D
/// to c + D around a centre c.
template <class T>
struct AttentionView {
  int64_t reach = -1;
  int64_t position = 0;  // target position t of the first step; c = t, but not beyond the last real
                         // position (Luong, Pham & Manning 2015, Sec. 3.2, local-m)
  Series<T> place = {};  // [., 1] z, if it has memory: c = length sigmoid(z), and the weights are
                         // multiplied by exp(-(s - c)^2 / (2 (D / 2)^2)) (local-p, Eq. 9, 10)
  int64_t visible = 0;   // positions from here on have no energy and get weight 0; 0: all have one
};

/// One row of a step, and what it sees.
struct AttentionQuery {
  int64_t step = 0;
  int64_t row = 0;             // of the step
  int64_t memory = 0;          // which of the [sentences * heads]
  int64_t begin = 0, end = 0;  // positions

  [[nodiscard]] int64_t count() const { return end - begin; }
};

/// How a query is compared with the keys of its memory. Is called for several rows at a time, by
/// threads of their own.
template <class T>
class AttentionEnergy {
 public:
  virtual ~AttentionEnergy() = default;
  /// energies[s] for what the query sees; `energies` [S].
  virtual void forward(const AttentionQuery& query, T* energies) = 0;
  /// Adds to the gradients of all that was read, by d_energies[s].
  virtual void backward(const AttentionQuery& query, const T* d_energies) = 0;
  /// What is left to do after the last step.
  virtual void finish() {}
};

/// What comes of the energies:
///   weights = distribution(energies + noise);  context = sum_s m_s weights_s values_s
template <class T>
struct AttentionAnswer {
  Distribution distribution;
  Series<T> weights;         // [., S]
  Series<T> kept;            // [., S], if distribution.keeps(); else without memory
  const T* mask = nullptr;   // [., S] m of all rows of all steps; null: ones
  Series<T> context;         // [., C]
  const T* noise = nullptr;  // [., S] as the mask; null: none
};

}  // namespace attend::kernels
