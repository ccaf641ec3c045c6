#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "metrics/metric.h"

namespace attend::app {

/// A number for each line of an n-best file, and what weights call it.
struct FeatureFile {
  std::string name;
  std::filesystem::path path;
};

/// A translation to choose, and what is known of it.
struct RankedText {
  std::string text;
  std::vector<double> features;  ///< as RerankLists::names
};

/// The translations of each input line. The first features are "score", the number in the n-best
/// file, and "words", how many the text has, since sums of log-probabilities favour short texts.
struct RerankLists {
  std::filesystem::path path;
  std::vector<std::string> names;
  std::vector<std::vector<RankedText>> lists;
};

/// Throws DataError for files that are malformed or differ in number of lines, UsageError for two
/// features of one name.
[[nodiscard]] RerankLists read_rerank_lists(const std::filesystem::path& n_best,
                                            const std::vector<FeatureFile>& features);

/// A weight by the name of its feature.
using FeatureWeights = std::map<std::string, double>;

/// The object "weights" of a JSON file as weights_json() writes it. Throws DataError for a file
/// that is none.
[[nodiscard]] FeatureWeights read_weights(const std::filesystem::path& path);

/// For each input line the text whose weighted sum of features is highest; of equals the first.
/// `source`: where the weights come from. Throws DataError unless each feature has a weight and
/// each weight a feature ("words" may lack one).
[[nodiscard]] std::vector<std::string> choose_by_weights(const RerankLists& lists,
                                                         const FeatureWeights& weights,
                                                         const std::filesystem::path& source);

/// "bleu" or "chrf", for corpora and for single sentences (BLEU then with effective order, as
/// sacreBLEU's sentence_bleu). `tokenizer` is BLEU's.
struct RerankMetric {
  std::string name = "bleu";
  std::string tokenizer = "13a";
  bool lowercase = false;  ///< ignore case
};
[[nodiscard]] std::vector<std::string> rerank_metric_names();

/// For each input line the text that has the best sentence score against its reference, of equals
/// the first: the choice of sequence-level interpolation (Kim & Rush 2016, Sec. 3.3). Throws
/// DataError if the references are of another number.
[[nodiscard]] std::vector<std::string> choose_by_reference(const RerankLists& lists,
                                                           const std::filesystem::path& references,
                                                           const RerankMetric& metric);

/// Weights for the best corpus score of the texts that they choose.
struct RerankTuning {
  FeatureWeights weights;
  std::string signature;  ///< of the metric, its name in front
  double first = 0.0;     ///< score of the first text of every list
  double tuned = 0.0;     ///< of those that the weights choose
  double oracle = 0.0;    ///< of those that choose_by_reference() chooses
};

/// Minimum error rate training (metrics::tune_weights) against these references. Throws as
/// choose_by_reference().
[[nodiscard]] RerankTuning tune_rerank(const RerankLists& lists,
                                       const std::filesystem::path& references,
                                       const RerankMetric& metric);

/// {"weights": {...}, "metric": ..., "first": ..., "tuned": ..., "oracle": ...}, in full precision.
[[nodiscard]] std::string weights_json(const RerankTuning& tuning);

}  // namespace attend::app
