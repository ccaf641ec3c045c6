#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "app/config/experiment.h"
#include "config/load.h"

namespace attend::app {

/// Defaults that only development text gives a meaning to: where the config has training text but
/// none to validate on, a schedule and a patience that nobody set are constant and 0 (never).
void settle_without_validation(config::Loaded<Experiment>& loaded);

/// How a transformer, ssru, gru or lstm decoder looks at the source where the config does not say
/// it: by scaled_dot on as many heads as the decoder has. Recurrent decoders keep the defaults that
/// the reference shows.
void settle_attention(config::Loaded<Experiment>& loaded);

/// A run to be made, or one that goes on: that may have keys without an effect as it began with
/// them.
enum class Run { fresh, resumed };

/// Reads the config of a run, with those defaults settled. Throws one ConfigError with
/// all that is wrong in it, or else with a guided head that is not there, or else with all settings
/// that would have no effect: without data.dev snapshots, their average, patience and the plateau
/// schedule; momentum without sgd, constants of Adam with it, a decay of a constant rate, how
/// attention is guided without links, minimum-risk training without a share. A config that is only
/// read to use a model may have them.
[[nodiscard]] config::Loaded<Experiment> load_training_config(
    const std::filesystem::path& file, std::span<const std::string> overrides,
    Run run = Run::fresh);

}  // namespace attend::app
