#include "app/explain/explain_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "app/align/forced_pairs.h"
#include "app/evaluate/eval_model.h"
#include "app/explain/explain_pair.h"
#include "app/explain/explanation_report.h"
#include "app/explain/explanation_summary.h"
#include "app/explain/function_word_choice.h"
#include "app/explain/pair_attention.h"
#include "app/lines/likeness_warning.h"
#include "app/lines/text_lines.h"
#include "core/error.h"
#include "core/file.h"
#include "core/option_name.h"
#include "core/signal.h"
#include "runtime/side_by_side.h"

namespace attend::app {

namespace {

uint64_t seed_of(const ExplainOptions& options, const LoadedModel& model) {
  return static_cast<uint64_t>(options.seed.value_or(model.experiment.seed));
}

/// One of the compared models.
struct NamedModel {
  std::string name;
  LoadedModel loaded;
};

std::vector<NamedModel> load_all(const ExplainOptions& options, torch::Device device) {
  std::vector<NamedModel> models;
  models.push_back({options.model, load_model(options.model, device)});
  for (const std::string& control : options.controls) {
    const bool random = control == kRandomControl;
    models.push_back({control, load_model(random ? options.model : control, device)});
    if (random) {
      LoadedModel& loaded = models.back().loaded;
      loaded.model->to(torch::kCPU);
      model::initialize(*loaded.model, seed_of(options, loaded));
      loaded.model->to(device);
    }
  }
  for (const NamedModel& model : models) require_explainable(model.loaded);
  return models;
}

std::vector<data::LinePair> read_all_pairs(const data::PairFiles& files) {
  data::PairReader reader(files);
  std::vector<data::LinePair> pairs;
  while (auto pair = reader.next()) pairs.push_back(std::move(*pair));
  reader.warn_about_repairs();
  return pairs;
}

/// The source lines with the model's own translations. `model` is moved away during the call.
std::vector<data::LinePair> translated_pairs(const ExplainOptions& options, LoadedModel& model) {
  if (!can_read_again(options.files.source))
    throw UsageError(fmt::format("{} is read twice when there is no {}; give a file",
                                 option_name("source"), option_name("target")));
  std::vector<LoadedModel> models;
  models.push_back(std::move(model));
  const auto translations = translate_source(models, options.files.source, {}, options.report);
  model = std::move(models.front());
  const TextLines source = read_lines(options.files.source, /*warns=*/false);
  std::vector<data::LinePair> pairs;
  for (std::size_t i = 0; i < source.lines.size(); ++i)
    pairs.push_back({source.lines[i], translations.at(i)});
  return pairs;
}

class Explanation {
 public:
  Explanation(const ExplainOptions& options, torch::Device device)
      : options_(options),
        models_(load_all(options, device)),
        seed_(seed_of(options, models_.front().loaded)),
        pairs_(options.files.target.empty() ? translated_pairs(options, models_.front().loaded)
                                            : read_all_pairs(options.files)),
        function_words_(
            choose_function_words(options.function_words, models_.front().loaded, target_lines())) {
    check_not_empty(options.files.source, pairs_.size());
    if (!options.output.empty()) output_.emplace(options.output);
  }

  std::string run() {
    LineMeter meter(options_.report, "explaining");
    meter.read({std::ssize(pairs_) * std::ssize(models_), 1.0});
    std::vector<ModelSummary> summaries;
    for (const NamedModel& model : models_) summaries.push_back(examine(model, meter));
    if (output_) output_->commit();
    write(options_.latex, explanation_latex(summaries));
    write(options_.methods, explanation_methods(summaries, settings()));
    return explanation_table(summaries);
  }

 private:
  [[nodiscard]] std::vector<std::string> target_lines() const {
    std::vector<std::string> lines;
    for (const data::LinePair& pair : pairs_) lines.push_back(pair.target);
    return lines;
  }

  [[nodiscard]] metrics::Trials trials() const { return {options_.samples, seed_}; }

  [[nodiscard]] ExplanationSettings settings() const {
    return {options_.files.source, options_.files.target, function_words_.origin, trials(), seed_,
            options_.program};
  }

  ModelSummary examine(const NamedModel& named, LineMeter& meter) {
    const LoadedModel& model = named.loaded;
    const auto sites = attention_sites(model.model->attention_heads().cross, options_.level);
    const decode::BatchSize batch = batch_size({}, model);
    PairForcer forcer(model, {.batch = batch});
    LikenessWarning likeness(model);
    SummaryBuilder summary(named.name, sites);
    const auto window = static_cast<std::size_t>(batch.window());
    for (std::size_t first = 0; first < pairs_.size(); first += window) {
      const auto lines = std::span(pairs_).subspan(first, std::min(window, pairs_.size() - first));
      likeness.add(lines, static_cast<int64_t>(first) + 1);
      const auto pairs = forcer.force(lines, static_cast<int64_t>(first));
      const auto explained = explain(model, pairs, sites, meter);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        summary.add(explained[i]);
        write_tokens(named.name, pairs[i].id, explained[i], sites);
      }
    }
    forcer.warn_about_cuts();
    return summary.summary(trials());
  }

  [[nodiscard]] std::vector<std::vector<ExplainedToken>> explain(
      const LoadedModel& model, const std::vector<ForcedPair>& pairs,
      const std::vector<AttentionSite>& sites, LineMeter& meter) const {
    std::vector<std::vector<ExplainedToken>> explained(pairs.size());
    runtime::run_on_single_threads(pairs.size(), [&](std::size_t i) {
      stop_if_requested("stopped by a signal; nothing was written");
      explained[i] =
          explain_pair(model, pairs[i], sites, function_words_.words, seed_, compared_with(model));
      meter.add(1);
    });
    return explained;
  }

  /// The model that `model` is a control of; null for the model itself.
  [[nodiscard]] const LoadedModel* compared_with(const LoadedModel& model) const {
    const LoadedModel& first = models_.front().loaded;
    return &model == &first ? nullptr : &first;
  }

  void write_tokens(const std::string& model, int64_t id, const std::vector<ExplainedToken>& tokens,
                    const std::vector<AttentionSite>& sites) {
    if (!output_) return;
    for (std::size_t t = 0; t < tokens.size(); ++t)
      output_->write_line(token_json(model, id, t, tokens[t], sites));
  }

  static void write(const std::filesystem::path& path, const std::string& text) {
    if (path.empty()) return;
    OutputFile file(path);
    file.write(text);
    file.commit();
  }

  const ExplainOptions& options_;
  std::vector<NamedModel> models_;
  uint64_t seed_;
  std::vector<data::LinePair> pairs_;
  FunctionWordChoice function_words_;
  std::optional<OutputFile> output_;
};

}  // namespace

std::string explain_model(const ExplainOptions& options, torch::Device device) {
  return Explanation(options, device).run();
}

}  // namespace attend::app
