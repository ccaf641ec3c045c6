#include <algorithm>
#include <cmath>

#include "kernels/attention_energy.h"
#include "kernels/clones.h"
#include "kernels/compiler.h"
#include "kernels/gradient_by_row.h"
#include "kernels/lanes.h"
#include "kernels/vector_math.h"

namespace attend::kernels {
namespace {

constexpr double kSmallestProduct = 1e-30;

/// One query with the keys of its memory.
template <class T>
struct DotRow {
  int64_t begin = 0, end = 0;  // positions
  int64_t inner = 0;
  const T* query = nullptr;  // [A]
  const T* keys = nullptr;   // [S, A]
  T* d_query = nullptr;
  T* d_keys = nullptr;
  T bias = 0;

  [[nodiscard]] ATTEND_ALWAYS_INLINE T product(int64_t s) const {
    const T* const key = keys + s * inner;
    return sum_of<T>(
        inner, [&](int64_t a) __attribute__((always_inline)) { return key[a] * query[a]; });
  }
};

template <class T>
ATTEND_ALWAYS_INLINE T formed(ProductForm form, T product, T bias) {
  if (form == ProductForm::tanh) return hyperbolic_tangent(product + bias);
  if (form == ProductForm::logarithm) return std::log(std::max(product, T(kSmallestProduct)));
  return product;
}

/// de / d(k . q).
template <class T>
ATTEND_ALWAYS_INLINE T slope_of(ProductForm form, T product, T bias) {
  if (form == ProductForm::tanh) {
    const T energy = hyperbolic_tangent(product + bias);
    return T(1) - energy * energy;
  }
  return product < T(kSmallestProduct) ? T(0) : T(1) / product;
}

template <class T>
ATTEND_ALWAYS_INLINE void dot_products(const DotRow<T>& row, ProductForm form, T* const& energies) {
  for (int64_t s = row.begin; s < row.end; ++s) {
    energies[s] = formed(form, row.product(s), row.bias);
  }
}

/// Returns what reaches the bias by `d_bias`.
template <class T>
ATTEND_ALWAYS_INLINE void dot_gradients(const DotRow<T>& row, ProductForm form,
                                        const T* const& d_energies, T& d_bias) {
  for (int64_t s = row.begin; s < row.end; ++s) {
    T d = d_energies[s];
    if (d == T(0)) continue;
    if (form != ProductForm::itself) d *= slope_of(form, row.product(s), row.bias);
    d_bias += d;
    const T* const key = row.keys + s * row.inner;
    T* const d_key = row.d_keys + s * row.inner;
    ATTEND_INDEPENDENT
    for (int64_t a = 0; a < row.inner; ++a) {
      d_key[a] += d * row.query[a];
      row.d_query[a] += d * key[a];
    }
  }
}

template <class T>
class DotEnergy final : public AttentionEnergy<T> {
 public:
  DotEnergy(const AttentionKeys<T>& keys, Series<T> query, ProductForm form,
            const SharedNumbers<T>& bias)
      : keys_(keys),
        query_(query),
        form_(form),
        bias_(bias),
        d_bias_(form == ProductForm::tanh ? bias.gradients : nullptr, query.rows(0), 1) {}

  void forward(const AttentionQuery& query, T* energies) override {
    Clones<dot_products<T>>::call(row_of(query), form_, energies);
  }

  void backward(const AttentionQuery& query, const T* d_energies) override {
    DotRow<T> row = row_of(query);
    row.d_query = query_.gradient(query.step) + query.row * query_.size;
    row.d_keys = keys_.gradients + query.memory * keys_.positions * keys_.inner;
    T d_bias = 0;
    Clones<dot_gradients<T>>::call(row, form_, d_energies, d_bias);
    if (form_ == ProductForm::tanh) *d_bias_.row(query.row) += d_bias;
  }

  void finish() override { d_bias_.add_up(); }

 private:
  [[nodiscard]] DotRow<T> row_of(const AttentionQuery& query) const {
    DotRow<T> row;
    row.begin = query.begin;
    row.end = query.end;
    row.inner = keys_.inner;
    row.query = query_.value(query.step) + query.row * query_.size;
    row.keys = keys_.values + query.memory * keys_.positions * keys_.inner;
    row.bias = bias_.values != nullptr ? *bias_.values : T(0);
    return row;
  }

  AttentionKeys<T> keys_;
  Series<T> query_;
  ProductForm form_;
  SharedNumbers<T> bias_;
  GradientByRow<T> d_bias_;
};

}  // namespace

template <class T>
std::unique_ptr<AttentionEnergy<T>> dot_energy(const AttentionKeys<T>& keys, Series<T> query,
                                               ProductForm form, const SharedNumbers<T>& bias) {
  return std::make_unique<DotEnergy<T>>(keys, query, form, bias);
}

template std::unique_ptr<AttentionEnergy<float>> dot_energy(const AttentionKeys<float>&,
                                                            Series<float>, ProductForm,
                                                            const SharedNumbers<float>&);
template std::unique_ptr<AttentionEnergy<double>> dot_energy(const AttentionKeys<double>&,
                                                             Series<double>, ProductForm,
                                                             const SharedNumbers<double>&);

}  // namespace attend::kernels
