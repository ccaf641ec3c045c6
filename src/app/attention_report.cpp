#include "app/attention_report.h"

#include <fmt/format.h>

#include "app/forced_pairs.h"
#include "app/inspection.h"
#include "core/option_name.h"

namespace attend::app {

align::AttentionStatistics attention_statistics(const LoadedModel& model,
                                                const data::PairFiles& files) {
  require_attention(model, option_name("source"));
  align::AttentionStatistics statistics;
  data::PairReader reader(files);
  ForceOptions options;
  options.batch_size = model.experiment.decoding.batch_size;
  options.keep_attention = true;
  force_pairs(reader, model, options, [&statistics](const ForcedPair& pair) {
    statistics.add(attention_matrix({pair.source, pair.target, pair.forced.attention, {}},
                                    align::Level::kPiece));
  });
  return statistics;
}

std::string attention_report(const align::AttentionStatistics& statistics) {
  return fmt::format(
      "attention over {} target pieces\n"
      "  mean entropy                {:8.4f} nats\n"
      "  distance from the diagonal  {:8.4f}\n"
      "  exact zeros                 {:8.2f} %\n"
      "  weight on the end symbol    {:8.2f} %\n",
      with_commas(static_cast<int64_t>(statistics.tokens())), statistics.mean_entropy(),
      statistics.mean_distance(), 100 * statistics.zero_share(),
      100 * statistics.mean_end_weight());
}

}  // namespace attend::app
