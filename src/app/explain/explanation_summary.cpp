#include "app/explain/explanation_summary.h"

#include <utility>

namespace attend::app {

namespace {

constexpr std::size_t kGroups = kTokenGroups.size();

/// The place of a class in kTokenGroups.
std::size_t group_of(metrics::WordClass word_class) {
  return static_cast<std::size_t>(word_class) + 1;
}

}  // namespace

SummaryBuilder::SummaryBuilder(std::string model, const std::vector<AttentionSite>& sites)
    : means_(sites.size(), metrics::SentenceMeans(kMeasures * kGroups)) {
  counts_.model = std::move(model);
  for (const AttentionSite& site : sites) counts_.sites.push_back({site.name, {}});
}

void SummaryBuilder::add(const std::vector<ExplainedToken>& pair) {
  ++counts_.pairs;
  for (metrics::SentenceMeans& site : means_) site.begin_sentence();
  for (const ExplainedToken& token : pair) {
    for (const std::size_t group : {std::size_t{0}, group_of(token.word_class)}) {
      ++counts_.tokens.at(group);
      for (std::size_t site = 0; site < means_.size(); ++site) {
        const auto values = token.sites[site].all();
        for (std::size_t m = 0; m < kMeasures; ++m)
          means_[site].add(m * kGroups + group, values[m]);
      }
    }
  }
}

ModelSummary SummaryBuilder::summary(const metrics::Trials& trials) const {
  ModelSummary result = counts_;
  for (std::size_t site = 0; site < means_.size(); ++site) {
    const auto means = means_[site].means(trials);
    for (std::size_t i = 0; i < means.size(); ++i)
      result.sites[site].means.at(i / kGroups).at(i % kGroups) = means[i];
  }
  return result;
}

}  // namespace attend::app
