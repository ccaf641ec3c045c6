#include <algorithm>
#include <vector>

#include "kernels/attention/attention_energy.h"
#include "kernels/attention/gradient_by_row.h"
#include "kernels/attention/key_row.h"
#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/vector_math.h"

// The backward pass recomputes h = tanh(k + q), which would be the largest tensor to keep.
// Computing it is faster than reading it from memory.

namespace attend::kernels {
namespace {

template <class T>
struct TanhRow : KeyRow<T> {
  const T* vector = nullptr;  // [A]
  T* d_vector = nullptr;
};

template <class T>
ATTEND_ALWAYS_INLINE void tanh_energies(const TanhRow<T>& row, T* const& energies) {
  for (int64_t s = row.begin; s < row.end; ++s) {
    const T* const key = row.keys + s * row.inner;
    energies[s] = sum_of<T>(
        row.inner, [&](int64_t a) __attribute__((always_inline)) {
          return row.vector[a] * hyperbolic_tangent(key[a] + row.query[a]);
        });
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void tanh_gradients(const TanhRow<T>& row, const T* const& d_energies) {
  for (int64_t s = row.begin; s < row.end; ++s) {
    const T d_energy = d_energies[s];
    if (d_energy == T(0)) continue;
    const T* const key = row.keys + s * row.inner;
    T* const d_key = row.d_keys + s * row.inner;
    ATTEND_INDEPENDENT
    for (int64_t a = 0; a < row.inner; ++a) {
      const T mixed = hyperbolic_tangent(key[a] + row.query[a]);
      const T d_mixed = d_energy * row.vector[a] * (T(1) - mixed * mixed);
      row.d_vector[a] += d_energy * mixed;
      d_key[a] += d_mixed;
      row.d_query[a] += d_mixed;
    }
  }
}

constexpr int64_t kTogether = 4;  // positions whose gradients share a pass over the weight U

/// The numbers of a trace for one query.
template <class T>
struct TraceRow {
  int64_t filters = 0, width = 0;
  int64_t stride = 0;         // P > S + kTogether
  const T* filter = nullptr;  // [filters, width]
  const T* weight = nullptr;  // [filters, A]
  const T* padded = nullptr;  // [S + width - 1] r x between zeros
  T* features = nullptr;      // [filters, P], S of them used
  T* sums = nullptr;          // [kTogether, A]
  T* d_filter = nullptr;
  T* d_weight = nullptr;
  T* d_padded = nullptr;
  T* d_features = nullptr;  // [filters, P]
};

/// features = F * x at the positions that the query sees. Vectors run along positions, since
/// filters are short.
template <class T>
ATTEND_ALWAYS_INLINE void filter_positions(const TanhRow<T>& row, const TraceRow<T>& trace) {
  for (int64_t j = 0; j < trace.filters; ++j) {
    T* const feature = trace.features + j * trace.stride;
    for (int64_t s = row.begin; s < row.end; ++s) feature[s] = T(0);
    for (int64_t i = 0; i < trace.width; ++i) {
      const T factor = trace.filter[j * trace.width + i];
      const T* const x = trace.padded + i;
      ATTEND_INDEPENDENT
      for (int64_t s = row.begin; s < row.end; ++s) feature[s] += factor * x[s];
    }
  }
}

/// Adds the gradients of filters and x, given the gradients of features.
template <class T>
ATTEND_ALWAYS_INLINE void filter_gradients(const TanhRow<T>& row, const TraceRow<T>& trace) {
  const int64_t count = row.end - row.begin;
  for (int64_t j = 0; j < trace.filters; ++j) {
    const T* const d = trace.d_features + j * trace.stride + row.begin;
    for (int64_t i = 0; i < trace.width; ++i) {
      const T factor = trace.filter[j * trace.width + i];
      const T* const x = trace.padded + row.begin + i;
      T* const d_x = trace.d_padded + row.begin + i;
      trace.d_filter[j * trace.width + i] += sum_of<T>(
          count, [&](int64_t s) __attribute__((always_inline)) { return d[s] * x[s]; });
      ATTEND_INDEPENDENT
      for (int64_t s = 0; s < count; ++s) d_x[s] += factor * d[s];
    }
  }
}

/// Computes kCount numbers of k_s + q + sum_j f_js U_j from `a` on in registers.
template <class T, int64_t kCount>
ATTEND_ALWAYS_INLINE void sum_some(const TanhRow<T>& row, const TraceRow<T>& trace, int64_t s,
                                   int64_t a, T* to) {
  const T* const key = row.keys + s * row.inner + a;
  const T* const query = row.query + a;
  T lanes[kCount];
  for (int64_t lane = 0; lane < kCount; ++lane) lanes[lane] = key[lane] + query[lane];
  for (int64_t j = 0; j < trace.filters; ++j) {
    const T feature = trace.features[j * trace.stride + s];
    const T* const weight = trace.weight + j * row.inner + a;
    for (int64_t lane = 0; lane < kCount; ++lane) lanes[lane] += feature * weight[lane];
  }
  for (int64_t lane = 0; lane < kCount; ++lane) to[a + lane] = lanes[lane];
}

/// to [A] = k_s + q + sum_j f_js U_j.
template <class T>
ATTEND_ALWAYS_INLINE void sum_up(const TanhRow<T>& row, const TraceRow<T>& trace, int64_t s,
                                 T* to) {
  constexpr int64_t kMany = 4 * kLanes;  // independent sums, for instruction parallelism
  int64_t a = 0;
  for (; a + kMany <= row.inner; a += kMany) sum_some<T, kMany>(row, trace, s, a, to);
  for (; a + kLanes <= row.inner; a += kLanes) sum_some<T, kLanes>(row, trace, s, a, to);
  if (a + kLanes / 2 <= row.inner) {
    sum_some<T, kLanes / 2>(row, trace, s, a, to);
    a += kLanes / 2;
  }
  for (; a < row.inner; ++a) sum_some<T, 1>(row, trace, s, a, to);
}

template <class T>
ATTEND_ALWAYS_INLINE void trace_energies(const TanhRow<T>& row, const TraceRow<T>& trace,
                                         T* const& energies) {
  filter_positions(row, trace);
  const T* const sums = trace.sums;
  for (int64_t s = row.begin; s < row.end; ++s) {
    sum_up(row, trace, s, trace.sums);
    energies[s] = sum_of<T>(
        row.inner, [&](int64_t a) __attribute__((always_inline)) {
          return row.vector[a] * hyperbolic_tangent(sums[a]);
        });
  }
}

/// Replaces the sums [A] of a position by their gradient.
template <class T>
ATTEND_ALWAYS_INLINE void sums_gradient(const TanhRow<T>& row, int64_t s, T d_energy, T* sums) {
  T* const d_key = row.d_keys + s * row.inner;
  ATTEND_INDEPENDENT
  for (int64_t a = 0; a < row.inner; ++a) {
    const T mixed = hyperbolic_tangent(sums[a]);
    const T d_mixed = d_energy * row.vector[a] * (T(1) - mixed * mixed);
    row.d_vector[a] += d_energy * mixed;
    d_key[a] += d_mixed;
    row.d_query[a] += d_mixed;
    sums[a] = d_mixed;
  }
}

/// Adds the gradient of U, given the gradients of the sums of kTogether positions. Writes the
/// gradients of kTogether features for each filter, `stride` apart.
template <class T>
ATTEND_ALWAYS_INLINE void features_gradient(const TanhRow<T>& row, const TraceRow<T>& trace,
                                            const T* features, T* d_features) {
  static_assert(kTogether == 4);
  const T* const d0 = trace.sums;
  const T *const d1 = d0 + row.inner, *const d2 = d1 + row.inner, *const d3 = d2 + row.inner;
  for (int64_t j = 0; j < trace.filters;
       ++j, features += trace.stride, d_features += trace.stride) {
    const T* const weight = trace.weight + j * row.inner;
    T* const d_weight = trace.d_weight + j * row.inner;
    const T f0 = features[0], f1 = features[1], f2 = features[2], f3 = features[3];
    ATTEND_INDEPENDENT
    for (int64_t a = 0; a < row.inner; ++a) {
      d_weight[a] += (f0 * d0[a] + f1 * d1[a]) + (f2 * d2[a] + f3 * d3[a]);
    }
    for (int64_t i = 0; i < kTogether; ++i) {
      const T* const d = d0 + i * row.inner;
      d_features[i] = sum_of<T>(
          row.inner, [&](int64_t a) __attribute__((always_inline)) { return weight[a] * d[a]; });
    }
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void trace_gradients(const TanhRow<T>& row, const TraceRow<T>& trace,
                                          const T* const& d_energies) {
  filter_positions(row, trace);
  for (int64_t first = row.begin; first < row.end; first += kTogether) {
    for (int64_t i = 0; i < kTogether; ++i) {
      const int64_t s = first + i;
      T* const sums = trace.sums + i * row.inner;
      if (s < row.end && d_energies[s] != T(0)) {
        sum_up(row, trace, s, sums);
        sums_gradient(row, s, d_energies[s], sums);
      } else {
        for (int64_t a = 0; a < row.inner; ++a) sums[a] = T(0);
      }
    }
    features_gradient(row, trace, trace.features + first, trace.d_features + first);
  }
  filter_gradients(row, trace);
}

template <class T>
class TanhEnergy : public AttentionEnergy<T> {
 public:
  TanhEnergy(const AttentionKeys<T>& keys, Series<T> query, const SharedNumbers<T>& vector)
      : keys_(keys),
        query_(query),
        vector_(vector),
        d_vector_(vector.gradients, query.rows(0), vector.count) {}

  void forward(const AttentionQuery& query, T* energies) override {
    Clones<tanh_energies<T>>::call(row_of(query), energies);
  }

  void backward(const AttentionQuery& query, const T* d_energies) override {
    Clones<tanh_gradients<T>>::call(row_with_gradients(query), d_energies);
  }

  void finish() override { d_vector_.add_up(); }

 protected:
  [[nodiscard]] TanhRow<T> row_of(const AttentionQuery& query) const {
    return {key_row(keys_, query_, query), vector_.values, nullptr};
  }

  [[nodiscard]] TanhRow<T> row_with_gradients(const AttentionQuery& query) {
    return {key_row_with_gradients(keys_, query_, query), vector_.values, d_vector_.row(query.row)};
  }

  [[nodiscard]] int64_t positions() const { return keys_.positions; }
  [[nodiscard]] int64_t inner() const { return keys_.inner; }

 private:
  AttentionKeys<T> keys_;
  Series<T> query_;
  SharedNumbers<T> vector_;
  GradientByRow<T> d_vector_;
};

template <class T>
class TraceEnergy final : public TanhEnergy<T> {
 public:
  TraceEnergy(const AttentionKeys<T>& keys, Series<T> query, const SharedNumbers<T>& vector,
              const AttentionTrace<T>& trace)
      : TanhEnergy<T>(keys, query, vector),
        trace_(trace),
        d_filters_(trace.filters.gradients, query.rows(0), trace.filters.count),
        d_weight_(trace.weight.gradients, query.rows(0), trace.weight.count),
        padded_(keys.positions + trace.width - 1),
        features_(trace.filters.count / trace.width * (padded_ + kTogether)),
        room_(2 * (padded_ + features_) + kTogether * keys.inner),
        scratch_(static_cast<std::size_t>(query.rows(0) * room_)) {}

  void forward(const AttentionQuery& query, T* energies) override {
    Clones<trace_energies<T>>::call(this->row_of(query), trace_of(query), energies);
  }

  void backward(const AttentionQuery& query, const T* d_energies) override {
    TraceRow<T> trace = trace_of(query);
    trace.d_filter = d_filters_.row(query.row);
    trace.d_weight = d_weight_.row(query.row);
    trace.d_features = trace.features + features_;
    trace.d_padded = trace.d_features + features_;
    std::fill_n(trace.d_padded, padded_, T(0));
    Clones<trace_gradients<T>>::call(this->row_with_gradients(query), trace, d_energies);
    add_trace_gradients(query, trace.d_padded + trace_.width / 2);
  }

  void finish() override {
    TanhEnergy<T>::finish();
    d_filters_.add_up();
    d_weight_.add_up();
  }

 private:
  [[nodiscard]] const T* numbers_of(const AttentionQuery& query) const {
    return trace_.numbers.value(query.step) + query.row * trace_.numbers.size;
  }

  [[nodiscard]] T rate(const AttentionQuery& query, int64_t s) const {
    return trace_.rates == nullptr ? T(1) : trace_.rates[query.memory * this->positions() + s];
  }

  /// The trace of a query, in the scratch memory of its row.
  [[nodiscard]] TraceRow<T> trace_of(const AttentionQuery& query) {
    T* const sums = scratch_.data() + query.row * room_;
    T* const padded = sums + kTogether * this->inner();
    const T* const numbers = numbers_of(query);
    std::fill_n(padded, padded_, T(0));
    for (int64_t s = 0; s < this->positions(); ++s) {
      padded[s + trace_.width / 2] = rate(query, s) * numbers[s];
    }
    TraceRow<T> row;
    row.filters = trace_.filters.count / trace_.width;
    row.width = trace_.width;
    row.stride = padded_ + kTogether;
    row.filter = trace_.filters.values;
    row.weight = trace_.weight.values;
    row.padded = padded;
    row.sums = sums;
    row.features = padded + padded_;
    return row;
  }

  /// Adds the gradients of r and x from d [S], the gradient of r x.
  void add_trace_gradients(const AttentionQuery& query, const T* d) {
    const T* const numbers = numbers_of(query);
    T* const d_numbers = trace_.numbers.gradient(query.step) + query.row * trace_.numbers.size;
    for (int64_t s = 0; s < this->positions(); ++s) d_numbers[s] += rate(query, s) * d[s];
    if (trace_.d_rates == nullptr) return;
    T* const d_rates = trace_.d_rates + query.memory * this->positions();
    for (int64_t s = 0; s < this->positions(); ++s) d_rates[s] += numbers[s] * d[s];
  }

  AttentionTrace<T> trace_;
  GradientByRow<T> d_filters_, d_weight_;
  int64_t padded_, features_, room_;
  std::vector<T>
      scratch_;  // [rows, room_]: sums, r x, features, and the gradients of r x and features
};

}  // namespace

template <class T>
std::unique_ptr<AttentionEnergy<T>> tanh_energy(const AttentionKeys<T>& keys, Series<T> query,
                                                const SharedNumbers<T>& vector) {
  return std::make_unique<TanhEnergy<T>>(keys, query, vector);
}

template <class T>
std::unique_ptr<AttentionEnergy<T>> trace_energy(const AttentionKeys<T>& keys, Series<T> query,
                                                 const SharedNumbers<T>& vector,
                                                 const AttentionTrace<T>& trace) {
  return std::make_unique<TraceEnergy<T>>(keys, query, vector, trace);
}

template std::unique_ptr<AttentionEnergy<float>> tanh_energy(const AttentionKeys<float>&,
                                                             Series<float>,
                                                             const SharedNumbers<float>&);
template std::unique_ptr<AttentionEnergy<double>> tanh_energy(const AttentionKeys<double>&,
                                                              Series<double>,
                                                              const SharedNumbers<double>&);
template std::unique_ptr<AttentionEnergy<float>> trace_energy(const AttentionKeys<float>&,
                                                              Series<float>,
                                                              const SharedNumbers<float>&,
                                                              const AttentionTrace<float>&);
template std::unique_ptr<AttentionEnergy<double>> trace_energy(const AttentionKeys<double>&,
                                                               Series<double>,
                                                               const SharedNumbers<double>&,
                                                               const AttentionTrace<double>&);

}  // namespace attend::kernels
