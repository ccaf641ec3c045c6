#pragma once
// File names in a model directory. translate, eval, score and align need only these files. The
// resolved config refers to them by plain name, so the directory can be moved.

namespace attend::storage::model_folder {

inline constexpr const char* kConfig = "config.yaml";  ///< the resolved experiment
inline constexpr const char* kJointPieces =
    "joint.model";  ///< SentencePiece model of both languages; otherwise the next two
inline constexpr const char* kSourcePieces = "source.model";
inline constexpr const char* kTargetPieces = "target.model";
inline constexpr const char* kBestWeights = "best.safetensors";  ///< of the best validation so far
inline constexpr const char* kLastWeights = "last.safetensors";
inline constexpr const char* kLastState = "last.state";  ///< the checkpoint to resume from
inline constexpr const char* kPreviousState =
    "previous.state";  ///< the checkpoint before it; see train::previous_state()
inline constexpr const char* kDamagedState =
    "last.state.damaged";  ///< an unreadable last.state; see train::load_state()
inline constexpr const char* kHistory =
    "train.jsonl";  ///< one JSON object per logged interval and validation
inline constexpr const char* kPieces =
    "pieces.json";  ///< how often each piece occurs in the training text; optional
inline constexpr const char* kReport = "report.html";
inline constexpr const char* kLock =
    "train.lock";  ///< held by the process that trains in this directory; see FileLock

}  // namespace attend::storage::model_folder
