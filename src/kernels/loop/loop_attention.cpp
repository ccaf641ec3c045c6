#include "kernels/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/vector_math.h"
#include "kernels/loop/loop.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 4;  // rows per parallel task

/// The weighted sum of values of one row. Values with weight 0 are skipped.
template <class T>
struct Mixture {
  int64_t begin = 0, end = 0;  // positions
  int64_t size = 0;            // C
  const T* values = nullptr;   // [S, C]
  const T* weights = nullptr;  // [S]
  const T* mask = nullptr;     // [S] or null
  bool skips = true;           // positions with weight 0 have no gradient
  T* context = nullptr;        // [C] zeros at first; in the backward pass its gradient
  T* d_values = nullptr;       // [S, C], added to
  T* d_weights = nullptr;      // [S], added to

  [[nodiscard]] ATTEND_ALWAYS_INLINE T factor(int64_t s) const {
    return mask != nullptr ? mask[s] : T(1);
  }
};

template <class T>
ATTEND_ALWAYS_INLINE void mix(const Mixture<T>& row) {
  for (int64_t s = row.begin; s < row.end; ++s) {
    const T weight = row.weights[s] * row.factor(s);
    if (weight == T(0)) continue;
    const T* const value = row.values + s * row.size;
    for (int64_t k = 0; k < row.size; ++k) row.context[k] += weight * value[k];
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void mix_gradient(const Mixture<T>& row) {
  const T* const d_context = row.context;
  for (int64_t s = row.begin; s < row.end; ++s) {
    const T factor = row.factor(s), weight = row.weights[s] * factor;
    if (weight == T(0) && row.skips) continue;
    const T* const value = row.values + s * row.size;
    T* const d_value = row.d_values + s * row.size;
    ATTEND_INDEPENDENT
    for (int64_t k = 0; k < row.size; ++k) d_value[k] += weight * d_context[k];
    row.d_weights[s] += factor * sum_of<T>(
                                     row.size, [&](int64_t k) __attribute__((always_inline)) {
                                       return value[k] * d_context[k];
                                     });
  }
}

template <class T>
class Attention final : public Operation {
 public:
  Attention(const AttentionMemory<T>& memory, const AttentionView<T>& view,
            std::unique_ptr<AttentionEnergy<T>> energy, const AttentionResult<T>& result)
      : memory_(memory), view_(view), result_(result), energy_(std::move(energy)) {}

  void forward(int64_t step) override {
    each_row(step, [&](int64_t row) { forward_row(query_at(step, row)); });
  }

  void backward(int64_t step) override {
    const int64_t unfactored = is_placed() ? result_.weights.count(step) : 0;
    // The scratch memory is resized before the threads start.
    scratch_.resize(static_cast<std::size_t>(unfactored));
    each_row(step, [&](int64_t row) { backward_row(query_at(step, row)); });
  }

  void finish() override { energy_->finish(); }

 private:
  template <class Work>
  void each_row(int64_t step, const Work& work) {
    parallel_ranges(result_.weights.rows(step), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) work(row);
    });
  }

  [[nodiscard]] bool is_placed() const { return view_.place.values != nullptr; }

  [[nodiscard]] int64_t length_of(int64_t row) const { return memory_.lengths[sentence_of(row)]; }

  [[nodiscard]] int64_t sentence_of(int64_t row) const {
    const int64_t hypothesis = row / memory_.heads;
    return memory_.owners != nullptr ? memory_.owners[hypothesis] : hypothesis;
  }

  [[nodiscard]] AttentionQuery query_at(int64_t step, int64_t row) const {
    AttentionQuery query = window_at(step, row);
    if (view_.visible == 0) return query;
    query.begin = std::min(query.begin, view_.visible);
    query.end = std::min(query.end, view_.visible);
    return query;
  }

  [[nodiscard]] AttentionQuery window_at(int64_t step, int64_t row) const {
    const int64_t sentence = sentence_of(row), length = memory_.lengths[sentence];
    AttentionQuery query{.step = step,
                         .row = row,
                         .memory = sentence * memory_.heads + row % memory_.heads,
                         .begin = 0,
                         .end = length};
    if (view_.reach < 0 || length == 0) return query;
    const double centre = is_placed()
                              ? static_cast<double>(place_of(step, row).centre)
                              : static_cast<double>(std::min(view_.position + step, length - 1));
    if (std::isnan(centre)) return query;  // so the weights become NaN too
    const auto reach = static_cast<double>(view_.reach);
    query.begin = std::clamp(static_cast<int64_t>(std::ceil(centre - reach)), int64_t{0}, length);
    query.end =
        std::clamp(static_cast<int64_t>(std::floor(centre + reach)) + 1, query.begin, length);
    return query;
  }

  /// The predicted centre of a row.
  struct Place {
    T share = 0;   // sigmoid(z)
    T centre = 0;  // c
  };
  [[nodiscard]] Place place_of(int64_t step, int64_t row) const {
    const T share = sigmoid(view_.place.value(step)[row]);
    return {share, share * static_cast<T>(length_of(row))};
  }
  /// 1 / (D / 2)^2.
  [[nodiscard]] T narrowness() const {
    const T deviation = static_cast<T>(view_.reach) / 2;
    return T(1) / (deviation * deviation);
  }
  [[nodiscard]] T gaussian(T distance) const {
    return std::exp(T(-0.5) * narrowness() * distance * distance);
  }

  /// [S] The part of `all` [., S] for a query; null if `all` is null.
  [[nodiscard]] const T* of_query(const T* all, const AttentionQuery& query) const {
    if (all == nullptr) return nullptr;
    const Series<T>& weights = result_.weights;
    return all + (weights.steps->begin(query.step) + query.row) * weights.size;
  }

  [[nodiscard]] Mixture<T> mixture(const AttentionQuery& query) const {
    const int64_t numbers = result_.weights.size, first = query.memory * memory_.positions;
    Mixture<T> mixture;
    mixture.begin = query.begin;
    mixture.end = query.end;
    mixture.size = memory_.size;
    mixture.values = memory_.values + first * memory_.size;
    mixture.weights = result_.weights.value(query.step) + query.row * numbers;
    mixture.mask = of_query(result_.mask, query);
    mixture.skips = !result_.distribution.reaches_all();
    return mixture;
  }

  void forward_row(const AttentionQuery& query) {
    T* const weights = result_.weights.value(query.step) + query.row * result_.weights.size;
    Mixture<T> mixture = this->mixture(query);
    mixture.context = result_.context.value(query.step) + query.row * result_.context.size;
    std::fill_n(weights, result_.weights.size, T(0));
    std::fill_n(mixture.context, memory_.size, T(0));
    if (query.count() == 0) return;
    energy_->forward(query, weights);
    if (const T* const noise = of_query(result_.noise, query)) {
      for (int64_t s = query.begin; s < query.end; ++s) weights[s] += noise[s];
    }
    distribute(result_.distribution, weights + query.begin, kept_of(query), query.count());
    if (is_placed()) colour(query, weights);
    Clones<mix<T>>::call(mixture);
  }

  void backward_row(const AttentionQuery& query) {
    if (query.count() == 0) return;
    T* const d = result_.weights.gradient(query.step) + query.row * result_.weights.size;
    Mixture<T> mixture = this->mixture(query);
    mixture.context = result_.context.gradient(query.step) + query.row * result_.context.size;
    mixture.d_values = memory_.d_values + query.memory * memory_.positions * memory_.size;
    mixture.d_weights = d;
    Clones<mix_gradient<T>>::call(mixture);
    const T* const weights =
        is_placed() ? colour_gradient(query, mixture.weights, d) : mixture.weights;
    distribute_gradient(result_.distribution, weights + query.begin, kept_of(query),
                        d + query.begin, query.count());
    energy_->backward(query, d);
  }

  [[nodiscard]] T* kept_of(const AttentionQuery& query) const {
    if (result_.kept.values == nullptr) return nullptr;
    return result_.kept.value(query.step) + query.row * result_.kept.size + query.begin;
  }

  void colour(const AttentionQuery& query, T* weights) const {
    const T centre = place_of(query.step, query.row).centre;
    for (int64_t s = query.begin; s < query.end; ++s) {
      weights[s] *= gaussian(static_cast<T>(s) - centre);
    }
  }

  /// `coloured` are the weights times their Gaussian factors. Replaces d, the gradient of
  /// `coloured`, by the gradient of the weights without factors, and returns these weights [S].
  const T* colour_gradient(const AttentionQuery& query, const T* coloured, T* d) {
    const Place place = place_of(query.step, query.row);
    T* const weights = scratch_.data() + query.row * result_.weights.size;
    T d_centre = 0;
    for (int64_t s = query.begin; s < query.end; ++s) {
      const T distance = static_cast<T>(s) - place.centre, factor = gaussian(distance);
      weights[s] = coloured[s] / factor;  // factor >= e^-2
      d_centre += d[s] * coloured[s] * distance * narrowness();
      d[s] *= factor;
    }
    view_.place.gradient(query.step)[query.row] += d_centre * place.centre * (T(1) - place.share);
    return weights;
  }

  AttentionMemory<T> memory_;
  AttentionView<T> view_;
  AttentionResult<T> result_;
  std::unique_ptr<AttentionEnergy<T>> energy_;
  std::vector<T> scratch_;  // [rows of a step, S]
};

}  // namespace

template <class T>
std::unique_ptr<Operation> attention(const AttentionMemory<T>& memory, const AttentionView<T>& view,
                                     std::unique_ptr<AttentionEnergy<T>> energy,
                                     const AttentionResult<T>& result) {
  return std::make_unique<Attention<T>>(memory, view, std::move(energy), result);
}

template std::unique_ptr<Operation> attention(const AttentionMemory<float>&,
                                              const AttentionView<float>&,
                                              std::unique_ptr<AttentionEnergy<float>>,
                                              const AttentionResult<float>&);
template std::unique_ptr<Operation> attention(const AttentionMemory<double>&,
                                              const AttentionView<double>&,
                                              std::unique_ptr<AttentionEnergy<double>>,
                                              const AttentionResult<double>&);

}  // namespace attend::kernels
