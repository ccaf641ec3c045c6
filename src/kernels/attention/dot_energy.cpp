#include <algorithm>
#include <cmath>

#include "kernels/attention/attention_energy.h"
#include "kernels/attention/gradient_by_row.h"
#include "kernels/attention/key_row.h"
#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/vector_math.h"

namespace attend::kernels {
namespace {

constexpr double kSmallestProduct = 1e-30;

template <class T>
ATTEND_ALWAYS_INLINE T product(const KeyRow<T>& row, int64_t s) {
  return inner_product(row.inner, row.keys + s * row.inner, row.query);
}

template <class T>
ATTEND_ALWAYS_INLINE T formed(ProductForm form, T product, T bias) {
  if (form == ProductForm::tanh) return hyperbolic_tangent(product + bias);
  if (form == ProductForm::logarithm) return std::log(std::max(product, T(kSmallestProduct)));
  return product;
}

/// The derivative of the energy with respect to the product k . q.
template <class T>
ATTEND_ALWAYS_INLINE T slope_of(ProductForm form, T product, T bias) {
  if (form == ProductForm::tanh) {
    const T energy = hyperbolic_tangent(product + bias);
    return T(1) - energy * energy;
  }
  return product < T(kSmallestProduct) ? T(0) : T(1) / product;
}

template <class T>
ATTEND_ALWAYS_INLINE void dot_products(const KeyRow<T>& row, ProductForm form, T bias,
                                       T* const& energies) {
  for (int64_t s = row.begin; s < row.end; ++s) {
    energies[s] = formed(form, product(row, s), bias);
  }
}

/// Adds the gradients of keys, query and bias.
template <class T>
ATTEND_ALWAYS_INLINE void dot_gradients(const KeyRow<T>& row, ProductForm form, T bias,
                                        const T* const& d_energies, T& d_bias) {
  for (int64_t s = row.begin; s < row.end; ++s) {
    T d = d_energies[s];
    if (d == T(0)) continue;
    if (form != ProductForm::itself) d *= slope_of(form, product(row, s), bias);
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
    Clones<dot_products<T>>::call(key_row(keys_, query_, query), form_, bias(), energies);
  }

  void backward(const AttentionQuery& query, const T* d_energies) override {
    T d_bias = 0;
    Clones<dot_gradients<T>>::call(key_row_with_gradients(keys_, query_, query), form_, bias(),
                                   d_energies, d_bias);
    if (form_ == ProductForm::tanh) *d_bias_.row(query.row) += d_bias;
  }

  void finish() override { d_bias_.add_up(); }

 private:
  [[nodiscard]] T bias() const { return bias_.values != nullptr ? *bias_.values : T(0); }

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
