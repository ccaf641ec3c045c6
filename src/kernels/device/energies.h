#pragma once
#include "kernels/attention/attention_energy.h"
#include "kernels/device/attention.h"

// Energies of kernels/attention/attention_energy.h for one step. forward() writes the energies e[s]
// of the positions that a row sees. backward() reads their gradients d[s] and adds the gradients of
// the query and, separately for each row, of shared parameters. It leaves in d what
// memory_gradients.h needs for the gradient of keys.
namespace attend::kernels::device {

/// e_s = form(k_s . q).
template <class T>
struct DotRow {
  int64_t positions = 0, inner = 0;  // S, A
  const T* keys = nullptr;           // [memories, S, A]
  const T* query = nullptr;          // [rows, A]
  ProductForm form = ProductForm::itself;
  const T* bias = nullptr;  // [1], or null
  T* d_query = nullptr;     // [rows, A], added to
  T* d_bias = nullptr;      // [rows], added to, or null

  template <class Block>
  ATTEND_DEVICE void forward(Block& block, const SeenRow& seen, T* e) const {
    products(block, seen, [&](int64_t s, T product) { e[s] = formed(product); });
  }

  /// Leaves the gradients of the products k_s . q in d.
  template <class Block>
  ATTEND_DEVICE void backward(Block& block, const SeenRow& seen, T* d) const {
    if (form != ProductForm::itself) {
      products(block, seen, [&](int64_t s, T product) {
        d[s] = d[s] == T(0) ? T(0) : d[s] * slope_of(product);
      });
    }
    if (d_bias != nullptr) {
      const T sum =
          block.template sum<T>(seen.count(), [&](int64_t i) { return d[seen.begin + i]; });
      block.each(1, [&](int64_t) { d_bias[seen.row] += sum; });
    }
    const T* const key = keys + seen.memory * positions * inner;
    T* const to = d_query + seen.row * inner;
    block.each(inner, [&](int64_t a) {
      T sum = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 8
#endif
      for (int64_t s = seen.begin; s < seen.end; ++s) sum += d[s] * key[s * inner + a];
      to[a] += sum;
    });
  }

 private:
  template <class Block, class Take>
  ATTEND_DEVICE void products(Block& block, const SeenRow& seen, const Take& take) const {
    const T* const key = keys + (seen.memory * positions + seen.begin) * inner;
    const T* const q = query + seen.row * inner;
    block.template sums<T>(
        seen.count(), inner, [&](int64_t i, int64_t a) { return key[i * inner + a] * q[a]; },
        [&](int64_t i, T sum) { take(seen.begin + i, sum); });
  }
  ATTEND_DEVICE T added() const {
    return bias != nullptr ? *bias : T(0);
  }
  ATTEND_DEVICE T formed(T product) const {
    if (form == ProductForm::tanh) return std::tanh(product + added());
    if (form == ProductForm::logarithm) return std::log(greater_of(product, T(1e-30)));
    return product;
  }
  /// de / d(k . q).
  ATTEND_DEVICE T slope_of(T product) const {
    if (form == ProductForm::tanh) {
      const T energy = std::tanh(product + added());
      return T(1) - energy * energy;
    }
    return product < T(1e-30) ? T(0) : T(1) / product;
  }
};

/// e_s = w . tanh(k_s + q).
template <class T>
struct TanhRow {
  int64_t positions = 0, inner = 0;
  const T* keys = nullptr;
  const T* query = nullptr;
  const T* vector = nullptr;  // [A]
  T* d_query = nullptr;
  T* d_vector = nullptr;  // [rows, A], added to

  template <class Block>
  ATTEND_DEVICE void forward(Block& block, const SeenRow& seen, T* e) const {
    const T* const key = keys + (seen.memory * positions + seen.begin) * inner;
    const T* const q = query + seen.row * inner;
    block.template sums<T>(
        seen.count(), inner,
        [&](int64_t i, int64_t a) { return vector[a] * std::tanh(key[i * inner + a] + q[a]); },
        [&](int64_t i, T sum) { e[seen.begin + i] = sum; });
  }

  template <class Block>
  ATTEND_DEVICE void backward(Block& block, const SeenRow& seen, T* d) const {
    const T* const key = keys + seen.memory * positions * inner;
    const int64_t first = seen.row * inner;
    block.each(inner, [&](int64_t a) {
      const T q = query[first + a];
      T to_query = 0, to_vector = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 4
#endif
      for (int64_t s = seen.begin; s < seen.end; ++s) {
        const T mixed = std::tanh(key[s * inner + a] + q);
        to_vector += d[s] * mixed;
        to_query += d[s] * (T(1) - mixed * mixed);
      }
      d_query[first + a] += to_query * vector[a];
      d_vector[first + a] += to_vector;
    });
  }
};

/// e_s = w . tanh(k_s + q + sum_j f_js U_j) (AttentionTrace). Adds the gradient of keys itself,
/// step by step, which is simpler; this energy is rarely used.
template <class T>
struct TraceRow {
  int64_t positions = 0, inner = 0;
  const T* keys = nullptr;
  const T* query = nullptr;
  const T* vector = nullptr;
  int64_t filter_count = 0, width = 1;
  const T* numbers = nullptr;  // [rows, S]
  const T* rates = nullptr;    // [memories, S] or null
  const T* filters = nullptr;  // [filters, width]
  const T* weight = nullptr;   // [filters, A]
  T* features = nullptr;       // [rows, filters, S] scratch memory
  T* d_keys = nullptr;
  T* d_query = nullptr;
  T* d_vector = nullptr;    // [rows, A]
  T* d_numbers = nullptr;   // [rows, S]
  T* d_rates = nullptr;     // [memories, S] or null
  T* d_filters = nullptr;   // [rows, filters, width]
  T* d_weight = nullptr;    // [rows, filters, A]
  T* d_features = nullptr;  // [rows, filters, S] scratch memory
  T* d_sums = nullptr;      // [rows, S, A] scratch memory

  template <class Block>
  ATTEND_DEVICE void forward(Block& block, const SeenRow& seen, T* e) const {
    filter_positions(block, seen);
    block.template sums<T>(
        seen.count(), inner,
        [&](int64_t i, int64_t a) {
          return vector[a] * std::tanh(sum_at(seen, seen.begin + i, a));
        },
        [&](int64_t i, T sum) { e[seen.begin + i] = sum; });
  }

  template <class Block>
  ATTEND_DEVICE void backward(Block& block, const SeenRow& seen, T* d) const {
    filter_positions(block, seen);
    sums_gradient(block, seen, d);
    weight_gradient(block, seen);
    features_gradient(block, seen);
    filters_gradient(block, seen);
    numbers_gradient(block, seen);
  }

 private:
  /// r x at a position, with 0 beyond the memory.
  ATTEND_DEVICE T traced(const SeenRow& seen, int64_t s) const {
    if (s < 0 || s >= positions) return T(0);
    const T x = numbers[seen.row * positions + s];
    return rates == nullptr ? x : rates[seen.memory * positions + s] * x;
  }
  ATTEND_DEVICE int64_t feature_place(const SeenRow& seen, int64_t j, int64_t s) const {
    return (seen.row * filter_count + j) * positions + s;
  }
  ATTEND_DEVICE T sum_at(const SeenRow& seen, int64_t s, int64_t a) const {
    T sum = keys[(seen.memory * positions + s) * inner + a] + query[seen.row * inner + a];
    for (int64_t j = 0; j < filter_count; ++j) {
      sum += features[feature_place(seen, j, s)] * weight[j * inner + a];
    }
    return sum;
  }

  template <class Block>
  ATTEND_DEVICE void filter_positions(Block& block, const SeenRow& seen) const {
    block.each(filter_count * seen.count(), [&](int64_t number) {
      const RowColumn at = RowColumn::of(number, seen.count());
      const int64_t s = seen.begin + at.column;
      T sum = 0;
      for (int64_t i = 0; i < width; ++i) {
        sum += filters[at.row * width + i] * traced(seen, s + i - width / 2);
      }
      features[feature_place(seen, at.row, s)] = sum;
    });
  }

  template <class Block>
  ATTEND_DEVICE void sums_gradient(Block& block, const SeenRow& seen, const T* d) const {
    block.each(inner, [&](int64_t a) {
      T to_query = 0, to_vector = 0;
      for (int64_t s = seen.begin; s < seen.end; ++s) {
        const T mixed = std::tanh(sum_at(seen, s, a));
        const T d_mixed = d[s] * vector[a] * (T(1) - mixed * mixed);
        d_keys[(seen.memory * positions + s) * inner + a] += d_mixed;
        d_sums[(seen.row * positions + s) * inner + a] = d_mixed;
        to_query += d_mixed;
        to_vector += d[s] * mixed;
      }
      d_query[seen.row * inner + a] += to_query;
      d_vector[seen.row * inner + a] += to_vector;
    });
  }

  template <class Block>
  ATTEND_DEVICE void weight_gradient(Block& block, const SeenRow& seen) const {
    block.each(filter_count * inner, [&](int64_t number) {
      const RowColumn at = RowColumn::of(number, inner);
      T sum = 0;
      for (int64_t s = seen.begin; s < seen.end; ++s) {
        sum += features[feature_place(seen, at.row, s)] *
               d_sums[(seen.row * positions + s) * inner + at.column];
      }
      d_weight[seen.row * filter_count * inner + number] += sum;
    });
  }

  template <class Block>
  ATTEND_DEVICE void features_gradient(Block& block, const SeenRow& seen) const {
    const T* const d = d_sums + (seen.row * positions + seen.begin) * inner;
    block.template sums<T>(
        filter_count * seen.count(), inner,
        [&](int64_t number, int64_t a) {
          const RowColumn at = RowColumn::of(number, seen.count());
          return weight[at.row * inner + a] * d[at.column * inner + a];
        },
        [&](int64_t number, T sum) {
          const RowColumn at = RowColumn::of(number, seen.count());
          d_features[feature_place(seen, at.row, seen.begin + at.column)] = sum;
        });
  }

  template <class Block>
  ATTEND_DEVICE void filters_gradient(Block& block, const SeenRow& seen) const {
    block.each(filter_count * width, [&](int64_t number) {
      const RowColumn at = RowColumn::of(number, width);
      T sum = 0;
      for (int64_t s = seen.begin; s < seen.end; ++s) {
        sum += d_features[feature_place(seen, at.row, s)] * traced(seen, s + at.column - width / 2);
      }
      d_filters[seen.row * filter_count * width + number] += sum;
    });
  }

  template <class Block>
  ATTEND_DEVICE void numbers_gradient(Block& block, const SeenRow& seen) const {
    block.each(positions, [&](int64_t p) {
      T d = 0;  // of r x at p
      for (int64_t i = 0; i < width; ++i) {
        const int64_t s = p - i + width / 2;
        if (s < seen.begin || s >= seen.end) continue;
        for (int64_t j = 0; j < filter_count; ++j) {
          d += filters[j * width + i] * d_features[feature_place(seen, j, s)];
        }
      }
      const int64_t here = seen.row * positions + p, there = seen.memory * positions + p;
      d_numbers[here] += rates == nullptr ? d : rates[there] * d;
      if (d_rates != nullptr) d_rates[there] += numbers[here] * d;
    });
  }
};

/// e_s = q_s.
template <class T>
struct GivenRow {
  int64_t size = 0;          // of the query
  const T* query = nullptr;  // [rows, size]
  T* d_query = nullptr;

  template <class Block>
  ATTEND_DEVICE void forward(Block& block, const SeenRow& seen, T* e) const {
    const T* const q = query + seen.row * size;
    block.each(seen.count(), [&](int64_t i) { e[seen.begin + i] = q[seen.begin + i]; });
  }
  template <class Block>
  ATTEND_DEVICE void backward(Block& block, const SeenRow& seen, const T* d) const {
    T* const to = d_query + seen.row * size;
    block.each(seen.count(), [&](int64_t i) { to[seen.begin + i] += d[seen.begin + i]; });
  }
};

}  // namespace attend::kernels::device
