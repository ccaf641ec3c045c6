#include "app/explain/explain_pair.h"

#include <torch/utils.h>

#include <algorithm>
#include <numeric>

#include "app/explain/hidden_source.h"
#include "app/explain/pair_attention.h"
#include "app/explain/source_measures.h"
#include "app/explain/weight_measures.h"
#include "app/explain/weight_probe.h"
#include "core/random.h"
#include "decode/attention/alti.h"
#include "decode/attention/contributions.h"
#include "decode/attention/posterior.h"
#include "decode/attention/saliency.h"
#include "metrics/faithfulness/distances.h"

namespace attend::app {

namespace {

std::vector<double> values_of(const torch::Tensor& row) {
  const torch::Tensor plain = row.to(torch::kCPU, torch::kFloat64).contiguous();
  return {plain.data_ptr<double>(), plain.data_ptr<double>() + plain.numel()};
}

/// True for punctuation alone, which is no part of a content word even where no blank parts them.
bool is_punctuation(std::string_view piece) {
  constexpr std::string_view kBlank = "▁";  // stands for a blank at the beginning or end of a piece
  return piece != kBlank && metrics::bare_word(piece).empty();
}

class PairExplainer {
 public:
  /// Throws UsageError if the model attends to something else than source pieces.
  PairExplainer(const LoadedModel& model, const ForcedPair& pair,
                const std::vector<AttentionSite>& sites, uint64_t seed)
      : model_(model), pair_(pair), sites_(sites), seed_(seed) {
    ids_ = {pair.source.ids, pair.target.ids, source_words(pair.source).pieces};
    weights_ = pair_attention(model, ids_.source, ids_.target);
    predict();
    posterior_ = decode::posterior_of_words(*model.model, ids_.source, ids_.target, decisions_);
    const auto source = data::frame_sources({ids_.source});
    const data::Sentences targets{ids_.target};
    if (model.model->has_contributions())
      contributions_ = decode::contributions(*model.model, source, targets).front();
    if (model.model->interaction_obstacles().empty())
      alti_ = decode::alti(*model.model, source, targets).front();
  }

  std::vector<ExplainedToken> run(const metrics::FunctionWords& function_words,
                                  const LoadedModel* compared) {
    std::vector<ExplainedToken> tokens = named_tokens(function_words);
    for (ExplainedToken& token : tokens) token.sites.resize(sites_.size());
    add_weight_measures(tokens);
    if (compared != nullptr && reads_the_same(*compared)) compare_attention(*compared, tokens);
    if (!ids_.words.empty()) add_source_measures(tokens);
    return tokens;
  }

 private:
  [[nodiscard]] std::size_t positions() const { return ids_.target.size() + 1; }

  /// The model's own predictions.
  void predict() {
    const torch::NoGradGuard no_gradients;
    const model::Seq2Seq& model = *model_.model;
    const auto source = data::frame_sources({ids_.source}).to(model.device());
    const auto target = data::frame_targets({ids_.target}).to(model.device()).input;
    const torch::Tensor outputs = model.decode(model.encode(source), target).outputs.squeeze(0);
    before_ = model.logits(outputs).to(torch::kCPU, torch::kFloat64).softmax(1).contiguous();
    const torch::Tensor best = before_.argmax(1).contiguous();
    const auto* tokens = best.data_ptr<int64_t>();
    decisions_.assign(tokens, tokens + best.numel());
  }

  [[nodiscard]] double decided(std::size_t t) const {
    return before_[static_cast<int64_t>(t)][decisions_[t]].item<double>();
  }

  [[nodiscard]] std::vector<ExplainedToken> named_tokens(
      const metrics::FunctionWords& function_words) const {
    const TokenizedLine& line = pair_.target;
    const align::WordGroups words = word_groups(line, /*end=*/true);
    const bool reversed = line.order == text::PieceOrder::kReversed;
    std::vector<ExplainedToken> tokens(positions());
    for (std::size_t t = 0; t < positions(); ++t) {
      ExplainedToken& token = tokens[t];
      token.decision = model_.target->piece(decisions_[t]);
      token.probability = decided(t);
      if (t == line.pieces.size()) {
        token.piece = token.word = words.names.back();
        token.word_class = metrics::WordClass::end;
        continue;
      }
      token.piece = line.pieces[t];
      token.word = words.names[words.group_of[reversed ? line.pieces.size() - 1 - t : t]];
      token.word_class = is_punctuation(token.piece) ? metrics::WordClass::function
                                                     : function_words.class_of(token.word);
    }
    return tokens;
  }

  [[nodiscard]] OwnPrediction own_prediction(std::size_t t) const {
    const auto size = static_cast<std::size_t>(before_.size(1));
    return {decisions_[t], {before_.data_ptr<double>() + t * size, size}};
  }

  /// The contributions at position t, each the mean over the layers of the site; empty if the model
  /// has none.
  [[nodiscard]] std::vector<double> contributions(int64_t t, const AttentionSite& site) const {
    if (contributions_.empty()) return {};
    std::vector<torch::Tensor> rows;
    for (std::size_t layer = 0; layer < contributions_.size(); ++layer) {
      const std::vector<int64_t>& heads = site.heads[layer];
      if (heads.empty()) continue;
      const bool one_of_several = heads.size() == 1 && contributions_[layer].size(0) > 2;
      rows.push_back(contributions_[layer][one_of_several ? 1 + heads.front() : 0][t]);
    }
    return values_of(torch::stack(rows).mean(0));
  }

  /// The source shares at position t after the highest layer of the site; empty if the model has
  /// none. They have no heads.
  [[nodiscard]] std::vector<double> alti(int64_t t, const AttentionSite& site) const {
    for (std::size_t layer = alti_.size(); layer-- > 0;)
      if (!site.heads[layer].empty()) return values_of(alti_[layer].source[t]);
    return {};
  }

  [[nodiscard]] OtherImportances other_importances(std::size_t t, const AttentionSite& site) const {
    const auto row = static_cast<int64_t>(t);
    return {values_of(posterior_[row]), contributions(row, site), alti(row, site)};
  }

  void add_weight_measures(std::vector<ExplainedToken>& tokens) const {
    WeightProbe probe(*model_.model, ids_.source, ids_.target);
    std::vector<Random> streams;
    for (const AttentionSite& site : sites_)
      streams.push_back(stream(seed_, "explain/" + site.name, static_cast<uint64_t>(pair_.id)));
    for (std::size_t t = 0; t < positions(); ++t) {
      if (t > 0) probe.advance();
      for (std::size_t i = 0; i < sites_.size(); ++i)
        app::add_weight_measures(probe, weights_[t], sites_[i], own_prediction(t),
                                 other_importances(t, sites_[i]), streams[i], tokens[t].sites[i]);
    }
  }

  /// True if `other` cuts both lines into the same pieces.
  [[nodiscard]] bool reads_the_same(const LoadedModel& other) const {
    const auto begins = [](std::vector<text::TokenId> all, const std::vector<text::TokenId>& ids) {
      return all.size() >= ids.size() && std::equal(ids.begin(), ids.end(), all.begin());
    };
    return begins(other.source->encode(pair_.source.text), ids_.source) &&
           begins(other.target->encode(pair_.target.text), ids_.target);
  }

  /// Sites other than "all" are compared where both models have the same layers and heads.
  void compare_attention(const LoadedModel& other, std::vector<ExplainedToken>& tokens) const {
    const model::LayerHeads layers = other.model->attention_heads().cross;
    const bool same = layers == model_.model->attention_heads().cross;
    const AttentionSite all = attention_sites(layers, SiteLevel::model).front();
    const std::vector<HeadWeights> theirs = pair_attention(other, ids_.source, ids_.target);
    for (std::size_t t = 0; t < positions(); ++t) {
      for (std::size_t i = 0; i < (same ? sites_.size() : 1); ++i)
        tokens[t].sites[i][Measure::model_js] =
            metrics::jensen_shannon(attention_of(weights_[t], sites_[i]),
                                    attention_of(theirs[t], i == 0 ? all : sites_[i]));
    }
  }

  [[nodiscard]] WordImportance attention(std::size_t t, const AttentionSite& site) const {
    return word_importance(mean_weights(weights_[t], site), ids_.words);
  }

  [[nodiscard]] WordImportances importances(std::size_t t, const AttentionSite& site,
                                            std::span<const double> salient) const {
    const OtherImportances others = other_importances(t, site);
    WordImportances all{attention(t, site), word_importance(salient, ids_.words),
                        word_importance(others.posterior, ids_.words)};
    if (!others.contributions.empty())
      all.contributions = word_importance(others.contributions, ids_.words);
    if (!others.alti.empty()) all.alti = word_importance(others.alti, ids_.words);
    return all;
  }

  [[nodiscard]] std::vector<std::size_t> random_order() const {
    std::vector<std::size_t> order(ids_.words.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    stream(seed_, "explain/words", static_cast<uint64_t>(pair_.id)).shuffle(order);
    return order;
  }

  void add_source_measures(std::vector<ExplainedToken>& tokens) const {
    HiddenSource hidden(*model_.model, ids_, decisions_, before_);
    SourceMeasures measures(hidden, random_order());
    for (std::size_t t = 0; t < positions(); ++t)
      for (const AttentionSite& site : sites_) measures.request(t, attention(t, site));
    hidden.compute();
    const torch::Tensor saliency =
        decode::saliency_of_words(*model_.model, ids_.source, ids_.target, decisions_);
    for (std::size_t t = 0; t < positions(); ++t) {
      const std::vector<double> salient = values_of(saliency[static_cast<int64_t>(t)]);
      for (std::size_t i = 0; i < sites_.size(); ++i)
        measures.add(t, importances(t, sites_[i], salient), decided(t), tokens[t].sites[i]);
    }
  }

  const LoadedModel& model_;
  const ForcedPair& pair_;
  const std::vector<AttentionSite>& sites_;
  uint64_t seed_;
  ExplainedPair ids_;
  torch::Tensor before_;                      // [T + 1, V] float64: probabilities
  std::vector<text::TokenId> decisions_;      // most probable tokens
  std::vector<HeadWeights> weights_;          // by position
  torch::Tensor posterior_;                   // [T + 1, S] of the decisions
  std::vector<torch::Tensor> contributions_;  // [1 + heads, T + 1, S] by layer; empty: none
  std::vector<decode::TokenShares> alti_;     // by layer; empty: none
};

}  // namespace

std::vector<ExplainedToken> explain_pair(const LoadedModel& model, const ForcedPair& pair,
                                         const std::vector<AttentionSite>& sites,
                                         const metrics::FunctionWords& function_words,
                                         uint64_t seed, const LoadedModel* compared) {
  return PairExplainer(model, pair, sites, seed).run(function_words, compared);
}

}  // namespace attend::app
