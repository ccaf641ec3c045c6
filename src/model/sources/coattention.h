#pragma once
#include <memory>
#include <vector>

#include "model/encoder.h"
#include "model/options.h"
#include "model/sources/source_sides.h"
#include "nn/parameters.h"

namespace attend::model {

/// Two sources after they have looked at each other.
struct Coattended {
  std::vector<EncoderOutput> sources;  // the same positions, each with a summary
  std::vector<SideTable> looks;        // by layer: weights, of which rows look at columns
};

/// Stands between the encoders of two sources and the decoder: each source is read in the light of
/// the other. Of the first, q_t are the T encoded positions, and of the second v_n are the N; in
/// the papers they are a question and what it asks about. To add a kind: a class in a file of its
/// own, a line in coattention.cpp and in options.cpp, a test.
///
/// Coarse kinds sum each source up as the query to the other (coarse_coattention.h), fine ones
/// compare all positions with all (fine_coattention.h).
class Coattention : public nn::Block {
 public:
  /// Sources of positions [B, S_k, C].
  [[nodiscard]] virtual Coattended forward(const EncoderOutput& first,
                                           const EncoderOutput& second) const = 0;
  /// The size of a source's positions and of its summary.
  [[nodiscard]] virtual int64_t output_size() const = 0;
  /// How many `looks` there are.
  [[nodiscard]] virtual std::size_t layers() const { return 1; }
  /// Of the parameters that are in no block of their own.
  void initialize(const at::Generator&) override {}

 protected:
  explicit Coattention(const DropoutOptions& dropout) : dropout_(dropout) {}
  /// weights [B, R, S] of states [B, S, C] -> sums [B, R, C]; in training with dropout on weights.
  [[nodiscard]] torch::Tensor mixed(const torch::Tensor& weights,
                                    const torch::Tensor& states) const;
  /// Tables of weights: of each source at the other, and of each at itself.
  [[nodiscard]] static SideTable across(const torch::Tensor& first_at_second,
                                        const torch::Tensor& second_at_first);
  [[nodiscard]] static SideTable within(const torch::Tensor& first, const torch::Tensor& second);
  [[nodiscard]] const DropoutOptions& dropout() const { return dropout_; }

 private:
  DropoutOptions dropout_;
};

/// That of `model.sources.coattention` between encoders of positions of `size`; null for none.
/// Throws std::out_of_range for another name than options.h has.
[[nodiscard]] std::shared_ptr<Coattention> make_coattention(const ModelOptions& options,
                                                            int64_t size);

}  // namespace attend::model
