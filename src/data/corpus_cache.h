#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus_reader.h"

namespace attend::data {

/// What the ids of a training text follow from, as text: the files of options.train with the names
/// of their sources, their sizes, inodes and times of change, `tokenizer_models` (the bytes of one
/// joint SentencePiece model or of {source, target}), and the options that change or leave out
/// pairs. Throws DataError if a file is not there.
[[nodiscard]] std::string corpus_key(const DataOptions& options,
                                     const std::vector<std::string>& tokenizer_models);

/// Keeps `text` under `key` in a file, written atomically: the key, what was read, skipped and
/// repaired, for each example its line and the length and ids of each side, then a CRC-32 of it
/// all. Requires: no goals. Throws DataError, and Stopped after a signal.
void save_corpus(const std::filesystem::path& path, const std::string& key,
                 const TrainingText& text);

/// What save_corpus() wrote, if it wrote it under this key; nothing if there is no file, if it is
/// of another key, or if it is damaged, which is logged. `vocabulary` is the larger of the two;
/// `empty`, with as many sources as the text has, is what the examples go to. Allocates what was
/// read, not what the file claims to hold. Throws Stopped after a signal.
[[nodiscard]] std::optional<TrainingText> load_corpus(const std::filesystem::path& path,
                                                      const std::string& key, int64_t vocabulary,
                                                      ParallelCorpus empty);

/// Whether `path` is free or holds a kept corpus (of any version), so that nothing else is lost by
/// saving one there.
[[nodiscard]] bool may_keep_corpus_in(const std::filesystem::path& path);

}  // namespace attend::data
