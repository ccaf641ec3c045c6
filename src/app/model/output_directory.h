#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/config/experiment.h"
#include "train/trainer.h"

namespace attend::app {

/// What to do with a model directory that is already there. kLeaveAlone: nothing is written.
enum class IfExists { kRefuse, kResume, kOverwrite, kLeaveAlone };

/// "runs/<name of the config>".
[[nodiscard]] std::filesystem::path default_output(const std::filesystem::path& config);

/// The absolute path of `directory`, however it is written: that of "runs/x/" ends in "x".
[[nodiscard]] std::filesystem::path full_folder_name(const std::filesystem::path& directory);

/// The files of a model directory that training writes.
[[nodiscard]] train::RunFiles run_files(const std::filesystem::path& directory);

/// Whether there is a run in `directory` that can go on.
[[nodiscard]] bool has_state(const std::filesystem::path& directory);

/// Changes nothing. Throws UsageError if `directory` exists and
///   - is a file;
///   - `if_exists` refuses it (a folder that a process left which was killed before its run began
///     is as good as none);
///   - a new run would replace what is not a run's: it is no model folder, or the working
///     directory, or holds `config`, the file in use;
///   - it is to be resumed, but has weights and no state, as an average has.
void check_output(const std::filesystem::path& directory, const std::filesystem::path& config,
                  IfExists if_exists);

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

/// What is in these files. Throws DataError, too.
[[nodiscard]] std::vector<std::string> tokenizer_bytes(const std::filesystem::path& directory);

}  // namespace attend::app
