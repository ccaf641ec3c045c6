#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "app/evaluate/rerank.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/given_options.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/utf8.h"
#include "metrics/tokenizer/tokenizers.h"

namespace attend::cli {

namespace {

struct RerankCommand {
  LogOptions log;
  std::string n_best;
  std::vector<std::string> features;  // NAME=FILE
  std::string weights;
  std::string tune;
  std::string oracle;
  app::RerankMetric metric;
  std::string output = "-";
};

std::vector<app::FeatureFile> feature_files(const std::vector<std::string>& features) {
  std::vector<app::FeatureFile> files;
  for (const std::string& feature : features) {
    const std::size_t equals = feature.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == feature.size()) {
      throw UsageError(
          fmt::format("--feature {}: expected NAME=FILE, as in r2l=dev.r2l.scores", feature));
    }
    if (!utf8::is_valid(feature.substr(0, equals)))
      throw UsageError(fmt::format("--feature {}: the name is not UTF-8; choose another", feature));
    files.push_back({feature.substr(0, equals), feature.substr(equals + 1)});
  }
  return files;
}

void check_given(const RerankCommand& command, const CLI::App& given) {
  const auto ways = given_options(given, {"--weights", "--tune", "--oracle"});
  if (ways.size() != 1) {
    throw UsageError(
        "give exactly one of --weights FILE (choose by weighted scores), --tune REFERENCE (find "
        "weights) and --oracle REFERENCE (choose by the metric)");
  }
  if (!command.weights.empty()) {
    refuse_given(given, {"--metric", "--tokenize", "--lowercase"},
                 "--weights computes no metric; it needs --tune or --oracle");
  }
  if (!command.oracle.empty()) {
    refuse_given(given, {"--feature"}, "--oracle uses only the references; leave one of them out");
  }
  if (command.metric.name != "bleu")
    refuse_given(given, {"--tokenize"}, "only BLEU uses it; leave it out, or --metric");
}

std::string lines_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

std::string tuned(const app::RerankLists& lists, const RerankCommand& command) {
  const app::RerankTuning tuning = app::tune_rerank(lists, command.tune, command.metric);
  log::info(
      "{}: {:.2f} for the first entries, {:.2f} with these weights, {:.2f} for the best entries "
      "(oracle)",
      tuning.signature, tuning.first, tuning.tuned, tuning.oracle);
  return app::weights_json(tuning);
}

std::string result_of(const RerankCommand& command) {
  const auto lists = app::read_rerank_lists(command.n_best, feature_files(command.features));
  if (!command.tune.empty()) return tuned(lists, command);
  if (!command.oracle.empty())
    return lines_of(app::choose_by_reference(lists, command.oracle, command.metric));
  return lines_of(
      app::choose_by_weights(lists, app::read_weights(command.weights), command.weights));
}

std::vector<std::string> input_files(const RerankCommand& command) {
  std::vector<std::string> files{command.n_best, command.weights, command.tune, command.oracle};
  for (const app::FeatureFile& feature : feature_files(command.features))
    files.push_back(feature.path.string());
  return files;
}

void run_rerank(const RerankCommand& command) {
  const std::vector<std::string> inputs = input_files(command);
  check_log_file(command.log, {command.output}, inputs);
  check_inputs_kept({command.output}, inputs);
  set_up_log(command.log);
  const std::string result = result_of(command);
  OutputFile output(command.output);
  output.write(result);
  output.commit();
}

void add_input_options(CLI::App& command, RerankCommand& options) {
  command
      .add_option("--n-best", options.n_best,
                  "N-best lists \"id ||| text ||| score\" from attend translate --n-best")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--feature", options.features,
                  "Add a feature: one score per n-best line, as from attend score")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE");
  command
      .add_option("--output", options.output, "Write the result here (default -: standard output)")
      ->type_name("FILE");
}

void add_way_options(CLI::App& command, RerankCommand& options) {
  command
      .add_option("--weights", options.weights,
                  "Choose by weighted scores, with weights from --tune")
      ->type_name("FILE");
  command
      .add_option("--tune", options.tune,
                  "Write the weights (JSON) with the best corpus score on these references")
      ->type_name("REFERENCE");
  command
      .add_option("--oracle", options.oracle,
                  "Choose the text with the best sentence score on these references")
      ->type_name("REFERENCE");
  command
      .add_option("--metric", options.metric.name,
                  "Metric of --tune and --oracle: bleu (default) or chrf")
      ->check(one_of(app::rerank_metric_names()))
      ->type_name("M");
  command
      .add_option("--tokenize", options.metric.tokenizer,
                  fmt::format("BLEU tokenizer: {} (default 13a)", join(metrics::tokenizer_names())))
      ->check(one_of(metrics::tokenizer_names()))
      ->type_name("T");
  command.add_flag("--lowercase", options.metric.lowercase, "Ignore case");
}

}  // namespace

void add_rerank(CLI::App& command) {
  const auto options = std::make_shared<RerankCommand>();
  add_input_options(command, *options);
  add_way_options(command, *options);
  add_log_options(command, options->log);
  command.footer(
      "Built-in features: score (from the n-best file) and words (number of words).\n\n"
      "Example:\n"
      "  attend rerank --n-best dev.nbest --feature r2l=dev.r2l --tune dev.de --output w.json\n"
      "  attend rerank --n-best test.nbest --feature r2l=test.r2l --weights w.json");
  command.callback([options, &command] {
    check_given(*options, command);
    run_rerank(*options);
  });
}

}  // namespace attend::cli
