#include <algorithm>

#include "kernels/attention/attention_energy.h"
#include "kernels/attention/distance_bias.h"
#include "kernels/attention/gradient_by_row.h"

// Energies that depend on positions, not on keys.

namespace attend::kernels {
namespace {

template <class T>
class GivenEnergy final : public AttentionEnergy<T> {
 public:
  explicit GivenEnergy(Series<T> query) : query_(query) {}

  void forward(const AttentionQuery& query, T* energies) override {
    const T* const given = query_.value(query.step) + query.row * query_.size;
    std::copy(given + query.begin, given + query.end, energies + query.begin);
  }

  void backward(const AttentionQuery& query, const T* d_energies) override {
    T* const d_given = query_.gradient(query.step) + query.row * query_.size;
    for (int64_t s = query.begin; s < query.end; ++s) d_given[s] += d_energies[s];
  }

 private:
  Series<T> query_;
};

template <class T>
class BiasedEnergy final : public AttentionEnergy<T> {
 public:
  BiasedEnergy(std::unique_ptr<AttentionEnergy<T>> energy, int64_t rows, int64_t heads,
               const SharedNumbers<T>& bias, int64_t position)
      : energy_(std::move(energy)),
        bias_{bias.values, bias.count / heads / 2},
        heads_(heads),
        d_bias_(bias.gradients, rows, bias.count),
        position_(position) {}

  void forward(const AttentionQuery& query, T* energies) override {
    energy_->forward(query, energies);
    for (int64_t s = query.begin; s < query.end; ++s) energies[s] += bias_.values[place(query, s)];
  }

  void backward(const AttentionQuery& query, const T* d_energies) override {
    T* const d_bias = d_bias_.row(query.row);
    for (int64_t s = query.begin; s < query.end; ++s) d_bias[place(query, s)] += d_energies[s];
    energy_->backward(query, d_energies);
  }

  void finish() override {
    d_bias_.add_up();
    energy_->finish();
  }

 private:
  [[nodiscard]] int64_t place(const AttentionQuery& query, int64_t s) const {
    return query.memory % heads_ * bias_.count() + bias_.place(s - position_ - query.step);
  }

  std::unique_ptr<AttentionEnergy<T>> energy_;
  DistanceBias<T> bias_;
  int64_t heads_;
  GradientByRow<T> d_bias_;
  int64_t position_;
};

}  // namespace

template <class T>
std::unique_ptr<AttentionEnergy<T>> given_energy(Series<T> query) {
  return std::make_unique<GivenEnergy<T>>(query);
}

template <class T>
std::unique_ptr<AttentionEnergy<T>> biased_energy(std::unique_ptr<AttentionEnergy<T>> energy,
                                                  int64_t rows, int64_t heads,
                                                  const SharedNumbers<T>& bias, int64_t position) {
  return std::make_unique<BiasedEnergy<T>>(std::move(energy), rows, heads, bias, position);
}

template std::unique_ptr<AttentionEnergy<float>> given_energy(Series<float>);
template std::unique_ptr<AttentionEnergy<double>> given_energy(Series<double>);
template std::unique_ptr<AttentionEnergy<float>> biased_energy(
    std::unique_ptr<AttentionEnergy<float>>, int64_t, int64_t, const SharedNumbers<float>&,
    int64_t);
template std::unique_ptr<AttentionEnergy<double>> biased_energy(
    std::unique_ptr<AttentionEnergy<double>>, int64_t, int64_t, const SharedNumbers<double>&,
    int64_t);

}  // namespace attend::kernels
