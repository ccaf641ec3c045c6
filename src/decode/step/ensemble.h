#pragma once
#include <memory>
#include <span>
#include <vector>

#include "decode/step/step_model.h"

namespace attend::decode {

/// A member of an ensemble, borrowed.
struct EnsembleMember {
  const StepModel* model = nullptr;
  bool same_source = true;  ///< segments source lines as the first member does
  double weight = 1.0;      ///< positive; divided by the sum of all weights
};

/// Several models with one target vocabulary, averaged as
///   p(y) = sum_m w_m p_m(y) / sum_m w_m
/// so that a hypothesis' log-probability belongs to a distribution. (The other common choice, the
/// mean of log-probabilities, is a product of experts whose probabilities do not sum to 1.) The
/// attention is the mean, with the same weights, over the members that have attention and read the
/// same source pieces as the first; the ensemble has none if the first member has none. Single
/// heads are not kept.
class Ensemble final : public StepModel {
 public:
  /// Requires: at least one member; the first member has same_source; weights are positive; all are
  /// on one device and outlive this object.
  explicit Ensemble(std::vector<EnsembleMember> members);

  /// Takes one source per member, in their order.
  [[nodiscard]] std::unique_ptr<StepSession> start(
      std::span<const data::SentenceBatch> sources) const override;
  [[nodiscard]] std::size_t sources() const override { return members_.size(); }
  [[nodiscard]] torch::Device device() const override { return members_.front().model->device(); }

 private:
  std::vector<EnsembleMember> members_;
};

}  // namespace attend::decode
