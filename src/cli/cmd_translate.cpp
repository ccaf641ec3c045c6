#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/align/alignment_method.h"
#include "app/attention/attention_kinds.h"
#include "app/document/document_lines.h"
#include "app/lines/source_file.h"
#include "app/lines/source_line.h"
#include "app/model/languages.h"
#include "app/model/loaded_model.h"
#include "app/model/output_directory.h"
#include "app/terms/protect_choice.h"
#include "app/translate/resumable_output.h"
#include "app/translate/translate_lines.h"
#include "app/translate/translation_output.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/line_progress.h"
#include "cli/start_runtime.h"
#include "cli/translate_flags.h"
#include "core/checksum.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "storage/model_folder.h"

namespace attend::cli {

namespace {

void check_candidates_fit_beam(int64_t candidates, int64_t beam) {
  if (candidates <= beam) return;
  throw UsageError(fmt::format(
      "--mbr-candidates {} exceeds --beam {}, the most hypotheses that a search returns; raise "
      "--beam, or draw the candidates with --sample",
      candidates, beam));
}

/// Sets the options that choose candidates by search or sampling and keep n_best of them.
void add_risk(const TranslateCommand& command, app::TranslateLinesOptions& options) {
  constexpr int64_t kSamples = 100;
  if (!command.risk.utility) return;
  const int64_t usual = command.sampling.sample ? kSamples : options.search.decoding.beam;
  options.risk =
      app::MinimumRiskOptions{*command.risk.utility, command.risk.weights, options.search.n_best};
  options.search.n_best = command.risk.candidates.value_or(usual);
  const bool searched = !command.sampling.sample;
  if (options.risk->n_best > options.search.n_best) {
    throw UsageError(
        fmt::format("--n-best {} exceeds the {} candidates of --mbr; raise --mbr-candidates{}",
                    options.risk->n_best, options.search.n_best, searched ? " and --beam" : ""));
  }
  if (searched) check_candidates_fit_beam(options.search.n_best, options.search.decoding.beam);
}

app::TranslateLinesOptions lines_options(const TranslateCommand& command,
                                         const std::vector<app::LoadedModel>& models) {
  const app::LoadedModel& model = models.front();
  app::TranslateLinesOptions options;
  options.search.decoding = app::decoding_options(command.search, model);
  options.search.n_best = command.n_best.value_or(1);
  options.search.keep_attention =
      command.output.need_attention() || command.markup.has_value() || command.copy_unknown;
  options.search.shortlist = app::load_shortlist(command.search, model);
  if (command.sampling.sample) {
    options.search.sampling = command.sampling.options;
    options.search.sampling->seed =
        static_cast<uint64_t>(command.common.seed.value_or(model.experiment.seed));
  }
  if (!command.kinds.empty()) options.kinds = app::asked_kinds(command.kinds, model);
  options.long_lines = command.search.long_lines;
  options.prefixes = command.prefixes;
  if (!command.prefixes.empty()) app::require_reading_order(model, "--prefix");
  if (command.by_blocks()) {
    options.shard =
        command.shard.empty()
            ? app::LineShard{}
            : app::parse_shard(command.shard, [](const char* name) { return std::getenv(name); });
  }
  options.terms = output_terms(command.terms, models);
  if (command.copy_unknown) {
    app::require_attention(model, "--copy-unknown");
    options.copy_unknown = app::attention_links(model);
    options.search.allow_unknown = true;
  }
  add_risk(command, options);
  decode::validate(options.search);
  return options;
}

std::string page_title(const std::filesystem::path& input) {
  return input == "-" ? "Translations" : "Translations of " + input.filename().string();
}

app::OutputChoices output_choices(const TranslateCommand& command, const app::LoadedModel& model) {
  auto choices = command.output;
  choices.moses = command.n_best.has_value() || command.scores;
  choices.level = align::parse_level(command.level);
  choices.heatmap_format = app::parse_heatmap_format(command.heatmap_format);
  choices.page_title = page_title(command.input);
  choices.separator = app::token_between(model, choices.level);
  choices.links = app::attention_links(model);
  app::check(choices);
  if (!choices.alignments.empty()) app::require_attention(model, "--alignments");
  if (!choices.heatmaps.empty() && command.kinds.empty())
    app::require_shown_attention(model, "--heatmaps");
  return choices;
}

void log_summary(const app::TranslatedCount& count, double seconds) {
  log::info("translated {} lines in {:.1f} s ({:.1f} lines/s)", count.lines, seconds,
            static_cast<double>(count.lines) / std::max(seconds, 1e-9));
  if (count.cut == 0) return;
  log::warning(
      "{} translations were cut at the length limit; raise --max-length-ratio if they are "
      "incomplete, or set --no-repeat-ngram-size 4 if they repeat themselves",
      count.cut);
}

/// The given options that change translations, as text.
std::string given_text(const CLI::App& given) {
  static constexpr std::string_view kOther[] = {
      "--model",    "--input",   "--output",   "--prefix",       "--shard",   "--constraints",
      "--glossary", "--forbid",  "--resume",   "--shortlist",    "--threads", "--device",
      "--quiet",    "--verbose", "--log-file", "--log-file-size"};
  std::string text;
  for (const CLI::Option* option : given.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::ranges::find(kOther, name) != std::end(kOther)) continue;
    text += (text.empty() ? "" : " ") + name;
    for (const std::string& value : option->results()) text += " " + value;
  }
  return text;
}

std::string checksum_of_file(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  return fmt::format("{:08x}", add_to_checksum(0, bytes.data(), bytes.size()));
}

/// The models and options that decide the translations.
nlohmann::json translation_key(const TranslateCommand& command, const CLI::App& given,
                               const std::vector<app::LoadedModel>& models,
                               const app::TranslateLinesOptions& options) {
  nlohmann::json key = {{"program", version()},
                        {"options", given_text(given)},
                        {"prefixes", !command.prefixes.empty()},
                        {"constraints", !command.terms.constraints.empty()},
                        {"forbidden", forbidden_words(command.terms, *models.front().target)},
                        {"shard", options.shard->name()},
                        {"batch size", options.search.decoding.batch_size},
                        {"batch unit", options.search.decoding.batch_unit},
                        {"models", nlohmann::json::array()}};
  if (!command.terms.glossary.empty()) key["glossary"] = checksum_of_file(command.terms.glossary);
  if (!command.search.shortlist.empty()) {
    key["shortlist"] = command.search.shortlist;
    key["shortlist"][0] = checksum_of_file(command.search.shortlist.front());
  }
  for (const app::LoadedModel& model : models) {
    const auto config = model.directory / storage::model_folder::kConfig;
    key["models"].push_back(checksum_of_file(model.weights_file) + "-" + checksum_of_file(config));
    if (model.weight != 1.0) key["models"].push_back(model.weight);
  }
  return key;
}

void check_places(const TranslateCommand& command) {
  const app::OutputChoices& output = command.output;
  std::vector<std::string> inputs = {command.input, command.prefixes};
  for (const std::string& file : term_files(command.terms)) inputs.push_back(file);
  if (!command.search.shortlist.empty()) inputs.push_back(command.search.shortlist.front());
  const auto outputs = {output.text, output.attention, output.alignments, output.word_scores};
  check_log_file(command.common.log, outputs, inputs);
  check_inputs_kept(outputs, inputs);
}

/// The model whose attention places the tags. Throws UsageError for one without it.
app::MarkupChoice markup_choice(text::Markup markup, const app::LoadedModel& model) {
  app::require_one_source(model, "--markup");
  app::require_attention(model, "--markup");
  return {.markup = markup, .links = app::attention_links(model)};
}

app::TranslatedCount translate_document(const TranslateCommand& command, LineReader& input,
                                        const app::Translator& translator,
                                        const app::TranslateLinesOptions& options) {
  const app::LoadedModel& model = translator.first();
  const std::string name = app::full_folder_name(model.directory).filename().string();
  std::optional<app::DocumentCutter> cutter;
  if (command.document) cutter.emplace(translator, app::languages_of(name, model).source);
  app::DocumentForm form{.sentences = cutter ? &*cutter : nullptr,
                         .constraints = command.terms.constraints};
  if (command.markup) form.markup = markup_choice(*command.markup, model);
  OutputFile file(command.output.text);
  app::DocumentLines document(input, form, file);
  app::TranslatedCount count = app::translate_lines(document, translator, options, document);
  file.commit();
  count.lines = input.line_number();
  return count;
}

void run_translate(const TranslateCommand& command, const CLI::App& given) {
  check_places(command);
  const runtime::Runtime runtime = start_runtime(command.common);
  const auto models = app::load_models(command.models, runtime.device);
  auto options = lines_options(command, models);
  const auto choices = output_choices(command, models.front());
  const app::Translator translator(
      models, decode::step_execution(options.search.decoding, models.front().model->device()),
      command.tag,
      app::protect_choice(command.search.protect, models.front().experiment.data.protect));
  const app::SourceFile source(command.input, models.front());
  LineReader input(source.path());
  CommandProgress progress(command.common.log.quiet, choices.text);
  options.report = progress.reporter();
  const auto start = std::chrono::steady_clock::now();
  const auto translate_to = [&](auto& output) {
    const auto count = app::translate_lines(input, translator, options, output);
    if constexpr (requires { output.commit(count); }) {
      output.commit(count);
    } else {
      output.commit();
    }
    return count;
  };
  app::TranslatedCount count;
  if (command.document || command.markup) {
    count = translate_document(command, input, translator, options);
  } else if (command.by_blocks()) {
    app::ResumableOutput output({.output = choices.text,
                                 .moses = choices.moses,
                                 .shard = *options.shard,
                                 .to_merge = !command.shard.empty(),
                                 .resume = command.resume,
                                 .key = translation_key(command, given, models, options)});
    options.blocks_done = output.blocks_done();
    count = translate_to(output);
  } else {
    app::TranslationOutput output(choices);
    count = translate_to(output);
  }
  log_summary(count,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace

void add_translate(CLI::App& command) {
  const auto options = std::make_shared<TranslateCommand>();
  add_translate_options(command, *options);
  command.footer("Example: echo 'The dog sleeps .' | attend translate --model runs/quickstart");
  command.callback([options, &command] {
    check_options(*options, command);
    run_translate(*options, command);
  });
}

}  // namespace attend::cli
