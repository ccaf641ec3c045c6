#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/config/experiment.h"
#include "train/saving/run_files.h"

namespace attend::app {

/// How to treat an existing model folder. kLeaveAlone: nothing is written.
enum class IfExists { kRefuse, kResume, kOverwrite, kLeaveAlone };

/// "runs/<name of the config>".
[[nodiscard]] std::filesystem::path default_output(const std::filesystem::path& config);

/// The absolute path of `directory`, without a final slash.
[[nodiscard]] std::filesystem::path full_folder_name(const std::filesystem::path& directory);

/// The files that training writes in a model folder.
[[nodiscard]] train::RunFiles run_files(const std::filesystem::path& directory);

/// Returns true if `directory` holds a run that can be resumed.
[[nodiscard]] bool has_state(const std::filesystem::path& directory);

/// Bytes of the files of a run in `directory`.
[[nodiscard]] double size_of_run(const std::filesystem::path& directory);

/// Throws UsageError if `directory` exists and
///   - is a file;
///   - `if_exists` is kRefuse, unless it holds only the lock of a process killed before its run;
///   - a new run would replace other files: it is not a model folder, or is the working directory,
///     or holds `config`, the file in use;
///   - is to be resumed, but has weights and no state, like an average.
/// Changes nothing.
void check_output(const std::filesystem::path& directory, const std::filesystem::path& config,
                  IfExists if_exists);

/// Removes temporary files of the run that a killed process left. Throws DataError.
void remove_unfinished_files(const std::filesystem::path& directory);

/// Prepares `directory` for a new run: removes the files of an earlier run (other files stay) and
/// writes the SentencePiece models and the resolved config. Returns the experiment with the paths
/// of these models. Throws DataError.
Experiment start_directory(const std::filesystem::path& directory, Experiment experiment,
                           const std::vector<std::string>& tokenizer_models);

/// Writes the resolved config.
void write_config(const std::filesystem::path& directory, const Experiment& experiment);

/// The SentencePiece models in `directory`: one, or {source, target}. Throws ModelFileError if
/// there are none.
[[nodiscard]] std::vector<std::string> tokenizer_files(const std::filesystem::path& directory);

/// The contents of tokenizer_files(). Throws ModelFileError and DataError.
[[nodiscard]] std::vector<std::string> tokenizer_bytes(const std::filesystem::path& directory);

}  // namespace attend::app
