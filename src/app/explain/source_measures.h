#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "app/explain/hidden_source.h"
#include "app/explain/measures.h"

namespace attend::app {

/// The importance of each source word for one target position.
using WordImportance = std::vector<double>;

/// Sums `pieces`, a value for each source piece and the end symbol, over the pieces of each word.
[[nodiscard]] WordImportance word_importance(std::span<const double> pieces,
                                             const std::vector<std::vector<std::size_t>>& words);

/// Importances that explain one target position.
struct WordImportances {
  WordImportance attention;
  WordImportance saliency;
  WordImportance posterior = {};
  WordImportance contributions = {};  ///< empty: the model has none
  WordImportance alti = {};           ///< empty: the model has none
};

/// The measures that hide source words, from comprehensiveness_deleted on. Requires: the pair has
/// words.
class SourceMeasures {
 public:
  /// Borrows `hidden`. `random_order`: the words in the order in which they are hidden for
  /// comparison.
  SourceMeasures(HiddenSource& hidden, std::vector<std::size_t> random_order);

  /// Requests what add() reads.
  void request(std::size_t position, const WordImportance& attention);
  /// Fills in the measures. `decision`: the probability of the decision with the whole source.
  /// Requires: requested, and HiddenSource::compute().
  void add(std::size_t position, const WordImportances& importances, double decision,
           MeasureValues& values) const;

 private:
  void request_order(std::size_t position, const std::vector<std::size_t>& order);
  void add_order(std::size_t position, const std::vector<std::size_t>& order, double decision,
                 Measure first, MeasureValues& values) const;
  void add_agreement(std::size_t position, const WordImportances& importances, double decision,
                     MeasureValues& values) const;
  [[nodiscard]] std::size_t words() const { return random_order_.size(); }

  HiddenSource& hidden_;
  std::vector<std::size_t> random_order_;
};

}  // namespace attend::app
