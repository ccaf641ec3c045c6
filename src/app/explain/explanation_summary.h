#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/explain/attention_sites.h"
#include "app/explain/explain_pair.h"
#include "metrics/faithfulness/sentence_means.h"

namespace attend::app {

/// The columns of a summary: all tokens, then the classes of metrics::WordClass.
inline constexpr std::array<std::string_view, 4> kTokenGroups = {"all", "content", "function",
                                                                 "end"};

/// The means of all measures for one attention site.
struct SiteSummary {
  std::string site;
  /// By measure, then by kTokenGroups.
  std::array<std::array<metrics::MeasuredMean, kTokenGroups.size()>, kMeasures> means;
};

/// The findings about one model.
struct ModelSummary {
  std::string model;  ///< folder, or kRandomControl
  int64_t pairs = 0;
  std::array<int64_t, kTokenGroups.size()> tokens{};
  std::vector<SiteSummary> sites;
};

/// Collects the tokens of all pairs of a model.
class SummaryBuilder {
 public:
  SummaryBuilder(std::string model, const std::vector<AttentionSite>& sites);

  void add(const std::vector<ExplainedToken>& pair);
  /// Throws Stopped after a signal.
  [[nodiscard]] ModelSummary summary(const metrics::Trials& trials) const;

 private:
  ModelSummary counts_;
  std::vector<metrics::SentenceMeans> means_;  // by site
};

}  // namespace attend::app
