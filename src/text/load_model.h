#pragma once
#include <filesystem>
#include <memory>

#include "text/sentencepiece/library.h"

namespace attend::text {

/// Reads the SentencePiece model in a file (the .model file of spm_train). All its pieces are
/// well-formed UTF-8. Throws ModelFileError for a file that is missing, larger than 256 MiB, no
/// model, or damaged.
[[nodiscard]] std::unique_ptr<SentencePieceModel> load_model(const std::filesystem::path& path);

}  // namespace attend::text
