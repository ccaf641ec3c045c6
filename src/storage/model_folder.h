#pragma once
// What a model directory holds, by name. Everything that translate, eval, score and align need is
// in these files, and the resolved config refers to them by plain name, so that the directory can
// be moved.

namespace attend::storage::model_folder {

inline constexpr const char* kConfig = "config.yaml";  ///< the resolved experiment
inline constexpr const char* kJointPieces =
    "joint.model";  ///< SentencePiece model of both languages; or the two:
inline constexpr const char* kSourcePieces = "source.model";
inline constexpr const char* kTargetPieces = "target.model";
inline constexpr const char* kBestWeights = "best.safetensors";  ///< best on the dev set so far
inline constexpr const char* kLastWeights = "last.safetensors";
inline constexpr const char* kLastState = "last.state";  ///< what resuming needs beyond the weights
inline constexpr const char* kPreviousState =
    "previous.state";  ///< the same, of the save before; see train::previous_state()
inline constexpr const char* kDamagedState =
    "last.state.damaged";  ///< a last.state that could not be read; see train::load_state()
inline constexpr const char* kHistory =
    "train.jsonl";  ///< one object per logged interval and validation
inline constexpr const char* kReport = "report.html";
inline constexpr const char* kLock =
    "train.lock";  ///< held by the process that trains here; see FileLock

}  // namespace attend::storage::model_folder
