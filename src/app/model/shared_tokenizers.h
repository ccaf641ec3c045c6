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

/// True if each id stands for the same piece in both, so that weights of one fit the other.
[[nodiscard]] bool same_pieces(const text::Tokenizer& a, const text::Tokenizer& b);

}  // namespace attend::app
