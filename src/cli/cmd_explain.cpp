#include <memory>
#include <string>
#include <vector>

#include "app/explain/explain_model.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/line_progress.h"
#include "cli/start_runtime.h"
#include "core/file.h"
#include "core/log.h"
#include "core/output_place.h"

namespace attend::cli {

namespace {

struct ExplainCommand {
  CommonOptions common;
  app::ExplainOptions request;
};

void show_table(const std::string& table, bool output_is_taken) {
  // If the records go to standard output, the table goes to standard error, even with --quiet.
  if (output_is_taken) {
    log::report(table);
    return;
  }
  OutputFile output("-");
  output.write(table);
  output.commit();
}

void run_explain(const ExplainCommand& command) {
  const app::ExplainOptions& asked = command.request;
  const std::vector<std::string> inputs = {asked.files.source, asked.files.target};
  check_log_file(command.common.log, {asked.output, asked.latex, asked.methods}, inputs);
  check_inputs_kept({asked.output, asked.latex, asked.methods}, inputs);
  const runtime::Runtime runtime = start_runtime(command.common);
  CommandProgress progress(command.common.log.quiet);
  app::ExplainOptions request = asked;
  request.seed = command.common.seed;
  request.program = version();
  request.report = progress.reporter();
  const std::string table = app::explain_model(request, runtime.device);
  show_table(table, !asked.output.empty() && is_same_output(asked.output, "-"));
}

void add_outputs(CLI::App& command, app::ExplainOptions& request) {
  command
      .add_option("--output", request.output,
                  "Write a JSON object for every target token here (default: none)")
      ->type_name("FILE");
  command.add_option("--latex", request.latex, "Write the tables as LaTeX here (default: none)")
      ->type_name("FILE");
  command
      .add_option("--methods", request.methods,
                  "Write a paragraph on the methods, with references, here (default: none)")
      ->type_name("FILE");
}

void add_request(CLI::App& command, app::ExplainOptions& request) {
  command.add_option("--model", request.model, "Model folder")->required()->type_name("DIR");
  command.add_option("--source", request.files.source, "Source sentences")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--target", request.files.target,
                  "Translations, one per source line (default: the model's own)")
      ->type_name("FILE");
  command
      .add_option(
          "--control", request.controls,
          "Also measure this model, or \"random\": the same with random weights; repeatable")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option_function<std::string>(
          "--by",
          [&request](const std::string& name) {
            request.level = *enum_value<app::SiteLevel>(name);
          },
          "Measure all attention together (model, default), also each layer, or each head")
      ->check(one_of(enum_names<app::SiteLevel>()))
      ->type_name("L");
  command
      .add_option("--function-words", request.function_words,
                  "de, en, es, fr, or a file with a word per line (default: the model's language)")
      ->type_name("W");
  command
      .add_option("--samples", request.samples, "Bootstrap samples for intervals (default 1000)")
      ->check(at_least(1))
      ->type_name("N");
}

}  // namespace

void add_explain(CLI::App& command) {
  const auto options = std::make_shared<ExplainCommand>();
  add_request(command, options->request);
  add_outputs(command, options->request);
  add_common_options(command, options->common);
  command.footer(
      "Prints how far attention explains the model's decisions: whether they survive other\n"
      "weights, which weights and words they need, and whether other importances agree.\n\n"
      "Example:\n"
      "  attend explain --model runs/quickstart --source data/quickstart/test.en "
      "--target data/quickstart/test.de");
  command.callback([options] { run_explain(*options); });
}

}  // namespace attend::cli
