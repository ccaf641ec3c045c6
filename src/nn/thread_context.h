#pragma once
// The settings of a thread that are not passed as arguments, since every layer of every model would
// have to pass them on. ThreadContext holds all of them; `nn` has no other global state. Scopes
// (RAII) set its members; callers read them through execution() and the functions of nn/drawing.h.
//
//   member     set by                         read by
//   execution  ExecutionScope (execution.h)   every layer, to choose between kernels and LibTorch
//   lines      LinesScope (drawing.h)         every draw (dropout, noise, omitted words)
//   seeds      SeedScope (drawing.h)          next_seed()
//   steps      StepsScope (drawing.h)         every draw of a recurrent decoder
//
// DrawAgainScope (drawing.h) sets `lines` and `seeds` to earlier values. Decoding, each training
// update and its objectives open the scopes; layers only read, except that they number the lines
// and steps of their own loops.
//
// Other threads do not inherit the context: a new thread starts with the defaults.
// - OpenMP workers inside kernels never read it. The calling thread copies what a kernel needs into
//   the kernel's arguments.
// - A backward pass may run in a thread of LibTorch. Autograd functions save what they need in the
//   forward pass; recomputed() saves a copy of the context and restores it.
// - Threads of our own that decode (the server, parallel batches) open their own scopes.
#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace attend::nn {

class PackedWeights;
class RoundedWeights;
class RowCache;

/// Parameters that are views of one buffer, and a second buffer of the same layout for their
/// gradients.
struct GradientMemory {
  torch::Tensor values;     // [P]
  torch::Tensor gradients;  // [P]
};

/// How layers compute, and which optional results they return.
struct Execution {
  bool fused = true;          // use fused kernels where they exist; false: plain LibTorch
  bool device_path = false;   // compute tensors on the CPU as on a GPU, for tests
  bool bf16 = false;          // round the operands of float matrix products to bf16
  bool shown_weights = true;  // return the attention weights that a decoder shows; false: layers
                              // may leave them out if they cost time
  bool recompute = false;     // recompute Transformer layers in the backward pass (nn/recompute.h)
  PackedWeights* packed = nullptr;  // packed constant weights, borrowed; null: none
  /// The weights of a model on a GPU in bf16, used if `bf16`. Borrowed; null: round each time.
  const RoundedWeights* rounded = nullptr;
  /// Cache of one model's projected target words, valid while its weights do not change. Used only
  /// if no gradient is recorded. Borrowed; if null, words are projected each time.
  RowCache* words = nullptr;
  /// Fused functions add the gradients of these parameters to this memory themselves and return
  /// none to LibTorch. Requires: the objective is differentiated as it is, without a factor.
  /// Borrowed; may be null.
  const GradientMemory* gradients = nullptr;
};

/// The lines (sentences of a batch) that the rows of a computation belong to.
struct Lines {
  torch::Tensor names;  // [N] int64: the name of each line; undefined: 0, 1, ...
  int64_t count = 0;    // N; 0: not set, so each row is a line
};

/// The sequence of seeds that starts from `seed`, of which `used` have been taken.
struct SeedSequence {
  uint64_t seed = 0;
  uint64_t used = 0;
};

/// Random numbers of a loop over steps: all steps share `seeds` and differ by position.
struct StepDraws {
  int64_t position = 0;
  std::size_t used = 0;  // seeds taken in this step
  std::vector<uint64_t> seeds;
};

struct ThreadContext {
  Execution execution;
  Lines lines;
  std::optional<SeedSequence> seeds;  // none: LibTorch's default generator of the CPU
  std::optional<StepDraws> steps;     // none: each draw takes a new seed
};

/// The context of the calling thread.
[[nodiscard]] ThreadContext& thread_context();

/// Replaces one member of the thread's context and restores it at the end. Scopes nest. Requires:
/// constructed and destroyed in the same thread, the last one first.
template <class T>
class ContextScope {
 public:
  ContextScope(T ThreadContext::*member, T value)
      : member_(member), outer_(std::exchange(thread_context().*member, std::move(value))) {}
  ~ContextScope() { thread_context().*member_ = std::move(outer_); }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  T ThreadContext::*member_;
  T outer_;
};

}  // namespace attend::nn
