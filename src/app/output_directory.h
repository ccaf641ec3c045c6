#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/experiment.h"
#include "train/trainer.h"

namespace attend::app {

/// What to do with a model directory that is already there.
enum class IfExists { kRefuse, kResume, kOverwrite };

/// "runs/<name of the config>".
[[nodiscard]] std::filesystem::path default_output(const std::filesystem::path& config);

/// The files of a model directory that training writes.
[[nodiscard]] train::RunFiles run_files(const std::filesystem::path& directory);

/// Whether a run in `directory` is to be resumed. Changes nothing. Throws UsageError if the
/// directory exists and `if_exists` refuses it, or if it is a file.
[[nodiscard]] bool check_output(const std::filesystem::path& directory, IfExists if_exists);

/// Removes what a process that was killed while it wrote a file of the run left beside it. Throws
/// DataError.
void remove_unfinished_files(const std::filesystem::path& directory);

/// Makes `directory` the home of a new run: removes what an earlier run left there (other files
/// stay), and writes the SentencePiece models and the resolved config. Returns the experiment with
/// the paths of these models. Throws DataError.
Experiment start_directory(const std::filesystem::path& directory, Experiment experiment,
                           const std::vector<std::string>& tokenizer_models);

/// Writes the resolved config.
void write_config(const std::filesystem::path& directory, const Experiment& experiment);

/// The SentencePiece models in `directory`: one, or {source, target}. Throws ModelFileError if
/// there are none.
[[nodiscard]] std::vector<std::string> tokenizer_files(const std::filesystem::path& directory);

}  // namespace attend::app
