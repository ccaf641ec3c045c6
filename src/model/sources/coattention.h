#pragma once
#include <memory>
#include <vector>

#include "model/encoder.h"
#include "model/options.h"
#include "model/sources/source_sides.h"
#include "nn/parameters.h"

namespace attend::model {

/// Two sources after coattention.
struct Coattended {
  std::vector<EncoderOutput> sources;  // the same positions, each with a summary
  std::vector<SideTable> weight_maps;  // weights of each layer; rows attend to columns
};

/// Coattention between the encoders of two sources and the decoder: encodes each source in the
/// light of the other. q_t are the T encoded positions of the first source, v_n the N of the
/// second; in the papers, a question and the image or text that it is about. To add a kind, add a
/// class in a file of its own, a line in coattention.cpp and in options.cpp, and a test.
///
/// Coarse kinds pool each source into a query for the other (coarse_coattention.h). Fine kinds
/// compare all positions with each other (fine_coattention.h).
class Coattention : public nn::Block {
 public:
  /// Both sources have positions [B, S_k, C].
  [[nodiscard]] virtual Coattended forward(const EncoderOutput& first,
                                           const EncoderOutput& second) const = 0;
  /// Size of a source's positions and of its summary.
  [[nodiscard]] virtual int64_t output_size() const = 0;
  /// Number of entries of `weight_maps`.
  [[nodiscard]] virtual std::size_t layers() const { return 1; }
  /// Initialises the parameters that are not in contained blocks.
  void initialize(const at::Generator&) override {}

 protected:
  explicit Coattention(const DropoutOptions& dropout) : dropout_(dropout) {}
  /// weights [B, R, S], states [B, S, C] -> sums [B, R, C]; dropout on the weights in training.
  [[nodiscard]] torch::Tensor mixed(const torch::Tensor& weights,
                                    const torch::Tensor& states) const;
  /// Weight tables: across() between the sources, within() inside each source.
  [[nodiscard]] static SideTable across(const torch::Tensor& first_at_second,
                                        const torch::Tensor& second_at_first);
  [[nodiscard]] static SideTable within(const torch::Tensor& first, const torch::Tensor& second);
  [[nodiscard]] const DropoutOptions& dropout() const { return dropout_; }

 private:
  DropoutOptions dropout_;
};

/// Makes the coattention `model.sources.coattention` for encoders with positions of `size`; null
/// for none.
[[nodiscard]] std::shared_ptr<Coattention> make_coattention(const ModelOptions& options,
                                                            int64_t size);

}  // namespace attend::model
