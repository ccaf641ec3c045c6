#pragma once
// A second implementation of our transformers, written from the papers' equations with loops over
// plain numbers. It shares no code with the implementation that it is compared to.
#include <map>
#include <string>
#include <vector>

#include "model/seq2seq.h"

namespace attend::test {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

/// Reads the weights of a model by name. Processes one sentence at a time. Supports only scaled dot
/// scores and softmax.
class PlainTransformer {
 public:
  explicit PlainTransformer(const model::Seq2Seq& model);

  /// The encoder's outputs for a source.
  [[nodiscard]] Rows encode(const std::vector<int64_t>& source) const;
  /// Scores over the vocabulary for each position of a target's input. Decoder types `transformer`,
  /// `ssru`, `gru` and `lstm`.
  [[nodiscard]] Rows decode(const Rows& encoded, const std::vector<int64_t>& input) const;
  /// The last computed weights [head][row][column] of the attention whose heads are named `name`.
  /// In causal attention, a row has no columns after its own position.
  [[nodiscard]] const std::vector<Rows>& weights(const std::string& name) const {
    return weights_.at(name);
  }

  /// The last interactions [row][column] of that attention (Ferrando et al. 2022): how much of the
  /// output of a row's residual connection comes from a column. Attention to the source has a first
  /// column for the residual connection itself.
  [[nodiscard]] const Rows& interactions(const std::string& name) const {
    return interactions_.at(name);
  }

 private:
  struct Looking {
    std::string name;  // of the heads' parameters
    int64_t heads = 1;
    nn::PositionKind positions = nn::PositionKind::none;
    std::string distances;  // name of a^K and a^V
    int64_t max_distance = 0;
    bool causal = false;
  };

  [[nodiscard]] Rows matrix(const std::string& name) const;
  [[nodiscard]] Row vector(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] Row linear(const std::string& name, const Row& x) const;
  [[nodiscard]] Row norm(const std::string& name, const Row& x) const;
  [[nodiscard]] Rows input(const std::string& side, const std::string& embedding,
                           const model::TransformerOptions& stack,
                           const std::vector<int64_t>& words) const;
  [[nodiscard]] Rows attention(const Looking& how, const Rows& queries, const Rows& memory) const;
  [[nodiscard]] Rows ssru(const std::string& name, const Rows& x) const;
  [[nodiscard]] Rows gru(const std::string& name, const Rows& x) const;
  [[nodiscard]] Rows lstm(const std::string& name, const Rows& x) const;
  [[nodiscard]] Row feed_forward(const std::string& name, model::Activation activation,
                                 const Row& x) const;
  template <class Part>
  [[nodiscard]] Rows residual(const std::string& name, model::NormPlace place, const Rows& x,
                              const Part& part) const;

  /// What is left of the vector v in norm(name, x), if x is a sum with v.
  [[nodiscard]] Row norm_share(const std::string& name, const Row& v, const Row& x) const;
  /// The attention `name` from x to y, in a residual connection with the norm `norm_name`.
  struct Passed {
    std::string name, norm_name;
    model::NormPlace place;
    bool residual_apart;
  };
  void record_interactions(const Passed& how, const Rows& x, const Rows& y) const;

  const model::Seq2Seq& model_;
  mutable std::map<std::string, std::vector<Rows>> weights_;
  mutable std::map<std::string, std::vector<Rows>> added_;  // by row and column, vectors
  mutable std::map<std::string, Rows> interactions_;
};

}  // namespace attend::test
