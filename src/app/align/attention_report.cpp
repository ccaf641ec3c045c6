#include "app/align/attention_report.h"

#include <fmt/format.h>

#include "app/align/forced_pairs.h"
#include "app/attention/attention_kinds.h"
#include "app/model/inspection.h"
#include "app/translate/batch_overrides.h"
#include "core/option_name.h"

namespace attend::app {
namespace {

/// Collects the statistics of all heads. Every pair adds its matrices in the same order.
class HeadSurvey {
 public:
  explicit HeadSurvey(std::vector<HeadStatistics>& heads) : heads_(heads) {}

  void add(const align::AttentionKind& kind) {
    for (std::size_t i = 0; i < kind.layers.size(); ++i) {
      const align::AttentionMatrix& layer = kind.layers[i];
      add({kind.name, i + 1, layer.heads.empty() ? 1U : 0U, {}}, layer);
      for (std::size_t h = 0; h < layer.heads.size(); ++h) {
        align::AttentionMatrix head = layer;
        head.weights = layer.heads[h];
        add({kind.name, i + 1, h + 1, {}}, head);
      }
    }
  }

 private:
  void add(HeadStatistics place, const align::AttentionMatrix& matrix) {
    if (next_ == heads_.size()) heads_.push_back(std::move(place));
    heads_[next_++].statistics.add(matrix);
  }

  std::vector<HeadStatistics>& heads_;
  std::size_t next_ = 0;
};

std::string head_table(const std::vector<HeadStatistics>& heads) {
  if (heads.size() < 2) return "";
  std::string table = fmt::format("\n  {:<8} {:>5} {:>5}   {:>13}   {:>8}\n", "kind", "layer",
                                  "head", "entropy, nats", "distance");
  for (const HeadStatistics& one : heads) {
    table += fmt::format("  {:<8} {:>5} {:>5}   {:>13.4f}   {:>8.4f}\n", one.kind, one.layer,
                         one.head == 0 ? "mean" : std::to_string(one.head),
                         one.statistics.mean_entropy(), one.statistics.mean_distance());
  }
  return table;
}

}  // namespace

AttentionSurvey attention_survey(const LoadedModel& model, const data::PairFiles& files) {
  require_attention(model, option_name("source"));
  AttentionSurvey survey;
  data::PairReader reader(files);
  ForceOptions options;
  options.batch = batch_size({}, model);
  options.keep_attention = true;
  options.kinds = kinds_of(model);
  // Columns of memories are not words, so a distance from the diagonal is meaningless.
  options.kinds.encoder_memory = options.kinds.decoder_memory = false;
  force_pairs(reader, model, options, [&survey](const ForcedPair& pair) {
    survey.shown.add(attention_matrix({pair.source, pair.target, pair.forced.attention, {}},
                                      align::Level::kPiece));
    HeadSurvey heads(survey.heads);
    for (const align::AttentionKind& kind :
         attention_kinds({pair.source, pair.target, pair.maps}, align::Level::kPiece))
      heads.add(kind);
  });
  return survey;
}

std::string attention_report(const AttentionSurvey& survey) {
  const align::AttentionStatistics& shown = survey.shown;
  return fmt::format(
             "attention over {} target pieces\n"
             "  mean entropy                {:8.4f} nats\n"
             "  distance from the diagonal  {:8.4f}\n"
             "  exact zeros                 {:8.2f} %\n"
             "  weight on the end symbol    {:8.2f} %\n",
             with_commas(static_cast<int64_t>(shown.tokens())), shown.mean_entropy(),
             shown.mean_distance(), 100 * shown.zero_share(), 100 * shown.mean_end_weight()) +
         head_table(survey.heads);
}

}  // namespace attend::app
