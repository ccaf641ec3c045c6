#include "cli/eval_model.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/forced_pairs.h"
#include "cli/translate_lines.h"
#include "cli/translator.h"
#include "metrics/metric.h"

namespace attend::cli {

namespace {

struct LossSum {
  double log_prob = 0.0;
  int64_t pieces = 0;
};

LossSum sum_loss(const LoadedModel& model, const data::PairFiles& files, int64_t batch_size) {
  data::PairReader reader(files);
  LossSum sum;
  force_pairs(reader, model, {.batch_size = batch_size, .keep_attention = false},
              [&](const ForcedPair& pair) {
                sum.log_prob += pair.forced.log_prob();
                sum.pieces += std::ssize(pair.forced.token_log_probs);
              });
  return sum;
}

EvalEntry loss_entry(const LoadedModel& model, std::size_t references, const std::string& name,
                     double value, const std::string& details) {
  return {
      .system = model.directory.string(),
      .line = std::nullopt,
      .name = name,
      .score = value,
      .signature = fmt::format("nrefs:{}|unit:piece|{}", references, metrics::version_signature()),
      .details = details,
      .decimals = 4};
}

}  // namespace

std::vector<std::string> translate_source(const std::vector<LoadedModel>& models,
                                          const std::string& source, const SearchFlags& flags) {
  TranslateLinesOptions options;
  options.search.decoding = decoding_options(flags, models.front());
  options.search.keep_attention = false;
  options.long_lines = parse_long_lines(flags.long_lines);
  decode::validate(options.search);
  return translate_file(source, Translator(models), options);
}

std::vector<EvalEntry> loss_entries(const LoadedModel& model, const std::string& source,
                                    const std::vector<std::string>& references,
                                    const SearchFlags& flags) {
  const int64_t batch_size = flags.batch_size.value_or(model.experiment.decoding.batch_size);
  LossSum total;
  for (const std::string& reference : references) {
    const LossSum sum = sum_loss(model, {source, reference}, batch_size);
    total.log_prob += sum.log_prob;
    total.pieces += sum.pieces;
  }
  const double loss = total.pieces == 0 ? 0.0 : -total.log_prob / static_cast<double>(total.pieces);
  const std::string pieces = fmt::format("({} pieces)", total.pieces);
  return {loss_entry(model, references.size(), "loss", loss, pieces),
          loss_entry(model, references.size(), "perplexity", std::exp(loss), pieces)};
}

}  // namespace attend::cli
