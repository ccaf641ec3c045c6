#include "app/evaluate/eval_model.h"

#include <algorithm>

#include "app/align/forced_pairs.h"
#include "app/terms/protect_choice.h"
#include "app/translate/translate_lines.h"
#include "app/translate/translator.h"
#include "metrics/token_scores.h"

namespace attend::app {

namespace {

using ByLine = std::vector<metrics::TokenStatistics>;

void add_reference(const LoadedModel& model, const data::PairFiles& files,
                   const ForceOptions& options, ByLine& lines) {
  data::PairReader reader(files);
  force_pairs(reader, model, options, [&](const ForcedPair& pair) {
    const auto line = static_cast<std::size_t>(pair.id);
    if (lines.size() <= line) lines.resize(line + 1);
    lines[line].log_prob += pair.forced.log_prob();
    lines[line].tokens += static_cast<double>(pair.forced.token_log_probs.size());
    lines[line].right += static_cast<double>(pair.forced.right_tokens);
  });
}

}  // namespace

std::vector<std::string> translate_source(const std::vector<LoadedModel>& models,
                                          const std::string& source,
                                          const SearchOverrides& overrides,
                                          const ReportProgress& report) {
  TranslateLinesOptions options;
  options.search.decoding = decoding_options(overrides, models.front());
  options.search.keep_attention = false;
  options.search.shortlist = load_shortlist(overrides, models.front());
  options.long_lines = overrides.long_lines;
  options.report = report;
  decode::validate(options.search);
  const Translator translator(
      models, decode::step_execution(options.search.decoding, models.front().model->device()),
      /*tag=*/"", protect_choice(overrides.protect, models.front().experiment.data.protect));
  return translate_file(source, translator, options);
}

metrics::CorpusStatistics token_statistics(const LoadedModel& model, const std::string& source,
                                           const std::vector<std::string>& references,
                                           const SearchOverrides& overrides,
                                           const ReportProgress& report) {
  ForceOptions options;
  options.batch = batch_size(overrides.batch, model);
  options.report = report;
  ByLine lines;
  for (const std::string& reference : references)
    add_reference(model, {source, reference}, options, lines);
  metrics::CorpusStatistics statistics(lines.size(), metrics::TokenStatistics{}.values().size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    std::ranges::copy(lines[i].values(), statistics.row(i).begin());
  return statistics;
}

}  // namespace attend::app
