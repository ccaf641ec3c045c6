#include "train/objective/risk_sampler.h"

#include <torch/utils.h>

#include <algorithm>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "decode/search/search.h"
#include "decode/step/seq2seq_step_model.h"
#include "metrics/registry.h"
#include "nn/drawing.h"
#include "train/evaluation_mode.h"
#include "train/validator.h"

namespace attend::train {
namespace {

using torch::Tensor;

decode::SearchOptions sampling_of(const MinimumRiskOptions& options, uint64_t seed) {
  decode::SearchOptions search;
  search.n_best = options.samples;
  search.keep_attention = false;
  search.sampling = decode::SamplingOptions{
      .temperature = options.temperature, .top_k = options.top_k, .top_p = 1.0, .seed = seed};
  return search;
}

/// The first `count` of `ids` [T] int64.
std::vector<text::TokenId> first_tokens(const Tensor& ids, int64_t count) {
  std::vector<text::TokenId> tokens;
  for (int64_t t = 0; t < count; ++t)
    tokens.push_back(static_cast<text::TokenId>(ids[t].item<int64_t>()));
  return tokens;
}

/// The sources of a batch; each sentence has the random stream of its line.
std::vector<decode::SearchSentence> sentences_of(const data::Batch& batch) {
  const data::SentenceBatch sources = batch.reading();
  const Tensor lines = nn::LinesScope::repeated(torch::arange(batch.size()));
  std::vector<decode::SearchSentence> sentences;
  for (int64_t row = 0; row < sources.size(); ++row) {
    sentences.push_back(
        {.sources = {first_tokens(sources.ids[row], sources.lengths[row].item<int64_t>())},
         .random_stream = static_cast<uint64_t>(lines[row].item<int64_t>())});
  }
  return sentences;
}

metrics::MetricOptions sentence_metric(const ValidationOptions& validation) {
  metrics::MetricOptions metric = metric_options(validation);
  metric.sentence_level = true;
  return metric;
}

}  // namespace

RiskSampler::RiskSampler(const MinimumRiskOptions& options, const ValidationOptions& validation,
                         const text::Tokenizer& target)
    : options_(options),
      target_(target),
      metric_(metrics::make_metric(options.cost, sentence_metric(validation))) {}

RiskCandidates RiskSampler::draw(model::Seq2Seq& model, const data::Batch& batch,
                                 uint64_t seed) const {
  const EvaluationMode evaluation(model);
  const decode::Seq2SeqStepModel steps(model);
  const auto drawn = decode::search(steps, sentences_of(batch), sampling_of(options_, seed));
  RiskCandidates candidates;
  for (int64_t row = 0; row < batch.size(); ++row) {
    const int64_t tokens = batch.target_input.lengths[row].item<int64_t>() - 1;  // without kEos
    std::vector<std::vector<text::TokenId>> targets{first_tokens(batch.target_output[row], tokens)};
    const std::string reference = target_.decode(targets.front());
    for (const decode::Hypothesis& sample : drawn[static_cast<std::size_t>(row)])
      targets.push_back(sample.tokens);
    std::set<std::vector<text::TokenId>> seen;
    for (auto& target : targets) {
      if (!seen.insert(target).second) continue;
      candidates.costs.push_back(cost(target, reference));
      candidates.sentences.push_back(row);
      candidates.targets.push_back(std::move(target));
    }
  }
  return candidates;
}

double RiskSampler::cost(const std::vector<text::TokenId>& tokens,
                         const std::string& reference) const {
  const std::string text = target_.decode(tokens);
  const std::string_view one = reference;
  const double score = metric_->score(metric_->segment_statistics(text, std::span(&one, 1))).value;
  return std::max(0.0, 1.0 - score / 100.0);  // the perfect score is 100 up to rounding
}

DrawCandidates draw_candidates(const TrainingOptions& options, model::Seq2Seq& model,
                               const text::Tokenizer* target) {
  if (options.mrt.samples == 0) return {};
  if (target == nullptr) throw std::logic_error("minimum-risk training needs a tokenizer");
  const auto sampler = std::make_shared<RiskSampler>(options.mrt, options.validation, *target);
  return [sampler, &model](const data::Batch& batch, uint64_t seed) {
    return sampler->draw(model, batch, seed);
  };
}

}  // namespace attend::train
