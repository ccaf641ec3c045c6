#include "app/config/training_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "config/print.h"
#include "config/section.h"

namespace attend::app {
namespace {

/// A setting that nothing looks at.
struct Idle {
  std::vector<std::string> keys;  ///< any of which may ask for it, and those that decide
  bool asked = false;
  const char* message;
};

/// Settings that another one leaves without effect.
struct Unread {
  std::string begins;  ///< the key of the setting, or of its section
  std::string decides;
  bool idle = false;
  const char* message;
};

std::vector<Unread> unread(const train::TrainingOptions& options) {
  return {
      {"training.momentum", "training.optimizer", options.optimizer != "sgd",
       "momentum is of sgd (Adam has adam.beta1); choose that optimizer, or leave momentum out"},
      {"training.adam.", "training.optimizer", options.optimizer == "sgd",
       "adam has the constants of adam and adamw; choose one of these optimizers, or leave adam "
       "out"},
      {"training.decay.", "training.schedule", options.schedule == "constant",
       "a constant rate is never lowered; choose another schedule, or leave decay out"},
      {"training.guided_alignment.", "training.guided_alignment.links",
       options.guided_alignment.links.empty(),
       "attention is guided by links, and there are none; name them, or leave "
       "guided_alignment out"},
      {"training.mrt.nll", "training.mrt.samples",
       options.mrt.samples > 0 && options.mrt.nll >= 1.0,
       "the usual objective has the whole share, so that no translation is drawn; give nll "
       "less than 1, or samples: 0"}};
}

/// What differs from its default counts as set, so that a resolved config can be trained again.
std::vector<Idle> idle_beside_others(const Experiment& experiment) {
  const std::vector<std::string> set = config::differences(Experiment(), experiment);
  std::vector<Idle> all;
  for (const Unread& setting : unread(experiment.training)) {
    Idle idle{{}, false, setting.message};
    std::ranges::copy_if(set, std::back_inserter(idle.keys),
                         [&](const std::string& key) { return key.starts_with(setting.begins); });
    idle.asked = setting.idle && !idle.keys.empty();
    idle.keys.push_back(setting.decides);
    all.push_back(std::move(idle));
  }
  return all;
}

bool takes_any(const train::SnapshotCounts& counts) {
  return counts.last > 0 || counts.best > 0;
}

bool never_ends(const train::TrainingOptions& options) {
  return options.max_epochs == 0 && options.max_updates == 0 && options.max_minutes == 0.0;
}

std::vector<Idle> idle_without_validation(const train::TrainingOptions& options) {
  return {{{"training.keep.last", "training.keep.best"},
           takes_any(options.keep),
           "snapshots are taken at validations, but there is no text to validate on; name one, or "
           "leave keep out"},
          {{"training.average.last", "training.average.best"},
           takes_any(options.average),
           "an average is compared with the best weights on development text, but there is none; "
           "name one, or leave average out"},
          {{"training.patience"},
           options.patience > 0,
           "patience counts validations, but there is no text to validate on; name one, or set "
           "patience: 0"},
          {{"training.schedule"},
           options.schedule == "plateau",
           "a plateau shows on development text, but there is none; name it, or choose another "
           "schedule"},
          {{"training.max_epochs", "training.max_updates", "training.max_minutes"},
           never_ends(options),
           "all are 0, and without text to validate on patience ends nothing, so training would "
           "never end; set one of them"}};
}

/// Empty: the head that is to be guided is there.
std::string guided_head_problem(const Experiment& experiment) {
  const train::GuidedAlignmentOptions& guided = experiment.training.guided_alignment;
  const int64_t heads = experiment.model.attention.heads;
  if (guided.head == 0) return "";
  if (guided.links.empty())
    return "head says which of the heads is guided by links, and there are none; name them, or "
           "leave head out";
  if (heads == 1)
    return "the attention to the source has one head (model.attention.heads), which is all of it; "
           "leave head out";
  if (guided.head <= heads) return "";
  return fmt::format(
      "the attention to the source has {} heads (model.attention.heads); choose one of them, or 0 "
      "for their mean",
      heads);
}

/// Once more, with the score and heads that nobody set: other keys may be none of theirs.
void check_settled(const Experiment& experiment, config::Reading& reading) {
  config::schema_of<Experiment>().check(experiment, "", reading);
  reading.problems.throw_if_any();
}

void check_guided_head(const Experiment& experiment, config::Reading& reading) {
  const std::string problem = guided_head_problem(experiment);
  if (problem.empty()) return;
  const config::Node values = config::schema_of<Experiment>().write(experiment);
  const std::vector<std::string> keys{"training.guided_alignment.head", "model.attention.heads",
                                      "training.guided_alignment.links"};
  config::report_broken_rule(config::rule_keys(values, "", keys), problem, reading);
  reading.problems.throw_if_any();
}

std::vector<Idle> idle_settings(const Experiment& experiment, Run run) {
  std::vector<Idle> all;
  if (run == Run::fresh) all = idle_beside_others(experiment);
  if (!experiment.data.dev.empty()) return all;
  for (Idle& idle : idle_without_validation(experiment.training)) {
    idle.keys.emplace_back("data.dev");
    all.push_back(std::move(idle));
  }
  return all;
}

void check_idle(const Experiment& experiment, Run run, config::Reading& reading) {
  const config::Node values = config::schema_of<Experiment>().write(experiment);
  for (const Idle& idle : idle_settings(experiment, run)) {
    if (!idle.asked) continue;
    config::report_broken_rule(config::rule_keys(values, "", idle.keys), idle.message, reading);
  }
  reading.problems.throw_if_any();
}

}  // namespace

void settle_without_validation(config::Loaded<Experiment>& loaded) {
  Experiment& experiment = loaded.options;
  if (experiment.data.train.empty() || !experiment.data.dev.empty()) return;
  if (!loaded.set_at.contains("training.schedule")) experiment.training.schedule = "constant";
  if (!loaded.set_at.contains("training.patience")) experiment.training.patience = 0;
}

void settle_attention(config::Loaded<Experiment>& loaded) {
  model::ModelOptions& model = loaded.options.model;
  if (model.decoder.type == "recurrent") return;
  if (!loaded.set_at.contains("model.attention.score")) model.attention.score = "scaled_dot";
  if (!loaded.set_at.contains("model.attention.heads")) model.attention.heads = model.decoder.heads;
}

config::Loaded<Experiment> load_training_config(const std::filesystem::path& file,
                                                std::span<const std::string> overrides, Run run) {
  config::Reading reading;
  reading.is_new = run == Run::fresh;
  auto experiment = config::load<Experiment>(file, overrides, reading);
  config::Loaded<Experiment> loaded{std::move(experiment), reading.set_at};
  settle_attention(loaded);
  check_settled(loaded.options, reading);
  settle_without_validation(loaded);
  check_guided_head(loaded.options, reading);
  check_idle(loaded.options, run, reading);
  return loaded;
}

}  // namespace attend::app
