#include "app/explain/explain_position.h"

#include <torch/utils.h>

#include "app/explain/pair_attention.h"
#include "app/explain/source_measures.h"
#include "app/explain/weight_probe.h"
#include "core/error.h"
#include "data/batch.h"
#include "decode/attention/saliency.h"

namespace attend::app {

namespace {

/// The pieces of a word that are written at most; text without blanks has no other end.
constexpr std::size_t kMostPieces = 12;

/// Decides by the blank that a word begins with.
Continues within_word(const text::Tokenizer& tokenizer) {
  const auto begins = [&tokenizer](text::TokenId token) {
    return tokenizer.piece(token).starts_with("▁");
  };
  const bool reversed = tokenizer.order() == text::PieceOrder::kReversed;
  return [begins, reversed](text::TokenId previous, text::TokenId next) {
    return next != text::kEos && !begins(reversed ? previous : next);
  };
}

HiddenWords only(std::size_t word, std::size_t words) {
  HiddenWords hidden(words);
  hidden[word] = true;
  return hidden;
}

class PositionExplainer {
 public:
  PositionExplainer(const LoadedModel& model, const TokenizedLine& source,
                    const std::vector<text::TokenId>& prefix, text::TokenId piece)
      : model_(model), words_(source_words(source)), piece_(piece) {
    if (words_.names.empty()) throw UsageError("the source has no words to explain with");
    pair_ = {source.ids, prefix, words_.pieces};
    words_.names.emplace_back("</s>");
    words_.pieces.push_back({source.ids.size()});
  }

  ExplainedPosition run() const {
    ExplainedPosition explained;
    for (const std::string& name : words_.names) explained.words.emplace_back().name = name;
    const HeadWeights own = pair_attention(model_, pair_.source, pair_.target).back();
    add_importances(own, explained);
    add_left_out(explained);
    add_elsewhere(own, explained);
    return explained;
  }

 private:
  [[nodiscard]] AttentionSite site() const {
    return attention_sites(model_.model->attention_heads().cross, SiteLevel::model).front();
  }

  void add_importances(const HeadWeights& own, ExplainedPosition& explained) const {
    const torch::Tensor found =
        decode::saliency_of_word(*model_.model, pair_.source, pair_.target, piece_)
            .to(torch::kFloat64)
            .contiguous();
    const std::span<const double> salient(found.data_ptr<double>(), pair_.source.size() + 1);
    const WordImportance attention = word_importance(mean_weights(own, site()), words_.pieces);
    const WordImportance saliency = word_importance(salient, words_.pieces);
    for (std::size_t w = 0; w < explained.words.size(); ++w) {
      explained.words[w].attention = attention[w];
      explained.words[w].saliency = saliency[w];
    }
  }

  /// The probabilities of all tokens, [V] float64.
  [[nodiscard]] torch::Tensor prediction() const {
    const torch::NoGradGuard no_gradients;
    const model::Seq2Seq& model = *model_.model;
    const auto source = data::frame_sources({pair_.source}).to(model.device());
    const auto target = data::frame_targets({pair_.target}).to(model.device()).input;
    const torch::Tensor outputs = model.decode(model.encode(source), target).outputs[0];
    return model.logits(outputs.narrow(0, outputs.size(0) - 1, 1))[0]
        .to(torch::kCPU, torch::kFloat64)
        .softmax(0);
  }

  void add_left_out(ExplainedPosition& explained) const {
    const torch::Tensor before = prediction();
    explained.probability = before[piece_].item<double>();
    const std::size_t position = pair_.target.size();
    const std::vector<text::TokenId> decisions(position + 1, piece_);
    const torch::Tensor rows = before.expand({static_cast<int64_t>(position) + 1, -1});
    HiddenSource hidden(*model_.model, pair_, decisions, rows);
    const std::size_t words = pair_.words.size();
    for (std::size_t w = 0; w < words; ++w)
      hidden.request(only(w, words), Hiding::deleted, position);
    hidden.compute();
    for (std::size_t w = 0; w < words; ++w)
      explained.words[w].left_out = hidden.prediction(only(w, words), Hiding::deleted, position);
  }

  void add_elsewhere(const HeadWeights& own, ExplainedPosition& explained) const {
    WeightProbe probe(*model_.model, pair_.source, pair_.target);
    for (std::size_t t = 0; t < pair_.target.size(); ++t) probe.advance();
    std::vector<WeightChange> changes;
    for (const auto& pieces : words_.pieces) {
      changes.push_back([&pieces](std::span<const double> weights) {
        std::vector<double> moved(weights.size());
        for (const std::size_t piece : pieces)
          moved[piece] = 1.0 / static_cast<double>(pieces.size());
        return moved;
      });
    }
    const std::vector<Writing> written =
        probe.writings(own, site(), changes, within_word(*model_.target), kMostPieces);
    for (std::size_t w = 0; w < written.size(); ++w) {
      for (const text::TokenId token : written[w].tokens)
        explained.words[w].elsewhere.push_back(model_.target->piece(token));
      explained.words[w].elsewhere_probability = written[w].probability;
    }
  }

  const LoadedModel& model_;
  SourceWords words_;  // the end symbol is the last one
  text::TokenId piece_;
  ExplainedPair pair_;  // the prefix is the target
};

}  // namespace

ExplainedPosition explain_position(const LoadedModel& model, const TokenizedLine& source,
                                   const std::vector<text::TokenId>& prefix, text::TokenId piece) {
  require_explainable(model);
  return PositionExplainer(model, source, prefix, piece).run();
}

}  // namespace attend::app
