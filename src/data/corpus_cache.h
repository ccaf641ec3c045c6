#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus_reader.h"

namespace attend::data {

/// What the ids of a training text follow from, as text: the files of options.train with their
/// sizes and times of change, `tokenizer_models` (the bytes of one joint SentencePiece model or of
/// {source, target}), and the options that change or leave out pairs. Throws DataError if a file is
/// not there.
[[nodiscard]] std::string corpus_key(const DataOptions& options,
                                     const std::vector<std::string>& tokenizer_models);

/// Keeps the ids of `text` under `key` in a file, written atomically: the key, then for each pair
/// its line, lengths and ids, then a CRC-32 of it all. Requires: no goals. Throws DataError.
void save_corpus(const std::filesystem::path& path, const std::string& key,
                 const TrainingText& text);

/// What save_corpus() wrote, if it wrote it under this key; nothing if there is no file, if it is
/// of another key, or if it is damaged, which is logged. `vocabulary` is the larger of the two,
/// `memory` where the corpus will lie. Allocates what was read, not what the file claims to hold.
[[nodiscard]] std::optional<TrainingText> load_corpus(const std::filesystem::path& path,
                                                      const std::string& key, int64_t vocabulary,
                                                      std::shared_ptr<Chunks> memory);

}  // namespace attend::data
