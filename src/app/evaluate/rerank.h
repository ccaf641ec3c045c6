#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "metrics/metric.h"

namespace attend::app {

/// A file with a number for each line of an n-best file, and the feature's name.
struct FeatureFile {
  std::string name;
  std::filesystem::path path;
};

/// A candidate translation with its features.
struct RankedText {
  std::string text;
  std::vector<double> features;  ///< in the order of RerankLists::names
};

/// The candidates of each input line. The first features are "score", the number in the n-best
/// file, and "words", the number of words, because sums of log-probabilities favour short texts.
struct RerankLists {
  std::filesystem::path path;
  std::vector<std::string> names;
  std::vector<std::vector<RankedText>> lists;
};

/// Throws DataError for files that are malformed or differ in line count, UsageError for two
/// features of one name.
[[nodiscard]] RerankLists read_rerank_lists(const std::filesystem::path& n_best,
                                            const std::vector<FeatureFile>& features);

/// The weight of each feature, by name.
using FeatureWeights = std::map<std::string, double>;

/// Reads the object "weights" of a JSON file written by weights_json(). Throws DataError for other
/// files.
[[nodiscard]] FeatureWeights read_weights(const std::filesystem::path& path);

/// For each input line, the text with the highest weighted sum of features. The first text wins a
/// tie. `source`: the file of the weights, for messages. Throws DataError for a weight without a
/// feature and for a feature without a weight, except "words".
[[nodiscard]] std::vector<std::string> choose_by_weights(const RerankLists& lists,
                                                         const FeatureWeights& weights,
                                                         const std::filesystem::path& source);

/// A metric for a corpus or for single sentences. BLEU of a sentence uses effective order, like
/// sacreBLEU's sentence_bleu.
struct RerankMetric {
  std::string name = "bleu";      ///< or "chrf"
  std::string tokenizer = "13a";  ///< of BLEU
  bool lowercase = false;         ///< ignore case
};
[[nodiscard]] std::vector<std::string> rerank_metric_names();

/// For each input line, the text with the best sentence score against its reference, as in
/// sequence-level interpolation (Kim & Rush 2016, Sec. 3.3). The first text wins a tie. Throws
/// DataError unless there is one reference per input line.
[[nodiscard]] std::vector<std::string> choose_by_reference(const RerankLists& lists,
                                                           const std::filesystem::path& references,
                                                           const RerankMetric& metric);

/// The weights that choose the texts with the best corpus score.
struct RerankTuning {
  FeatureWeights weights;
  std::string signature;  ///< of the metric, with its name
  double first = 0.0;     ///< score of the first text of every list
  double tuned = 0.0;     ///< score of the texts that the weights choose
  double oracle = 0.0;    ///< score of the texts that choose_by_reference() chooses
};

/// Minimum error rate training (metrics::tune_weights) on `references`. Throws like
/// choose_by_reference().
[[nodiscard]] RerankTuning tune_rerank(const RerankLists& lists,
                                       const std::filesystem::path& references,
                                       const RerankMetric& metric);

/// {"weights": {...}, "metric": ..., "first": ..., "tuned": ..., "oracle": ...}, in full precision.
[[nodiscard]] std::string weights_json(const RerankTuning& tuning);

}  // namespace attend::app
