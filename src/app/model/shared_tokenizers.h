#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "data/options.h"
#include "text/tokenizer.h"

namespace attend::app {

/// The tokenizers of the two sides; one object if both are equal.
struct SharedTokenizers {
  std::shared_ptr<const text::Tokenizer> source;
  std::shared_ptr<const text::Tokenizer> target;  ///< its pieces reversed with data.reverse_target
};

/// `files`: one joint SentencePiece model, or {source, target}. Throws ModelFileError for files
/// that are not such models.
[[nodiscard]] SharedTokenizers load_tokenizers(const std::vector<std::filesystem::path>& files,
                                               const data::DataOptions& options);

}  // namespace attend::app
