#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus_reader.h"

namespace attend::data {

/// SentencePiece models, and what they follow from (tokenizer_key()).
struct KeptModels {
  std::string key;                  ///< empty: there are none
  std::vector<std::string> models;  ///< the bytes of one joint model, or of {source, target}
};

/// What a token file is asked for.
struct TokenFileRequest {
  std::string key;         ///< corpus_key()
  int64_t vocabulary = 0;  ///< the larger of the two: every id is below
  std::size_t sources = 1;
  bool mapped = false;  ///< map the file into memory; else read it
};

/// Keeps `text` under `key` in a file, written atomically:
///   "attend corpus 4\n"
///   16 bytes for each example (position of its first id, line), 4 for the length of each side,
///   2 or 4 for each id
///   the index: `models`, the key, what was read, skipped and repaired, the sizes of the three
///   arrays and a CRC-32 of every block of 2 MiB (Chunks::kBytes) of each
///   where the index begins, its CRC-32 and "attn".
/// All numbers are little-endian. Requires: no goals. Throws DataError, and Stopped after a signal.
void save_corpus(const std::filesystem::path& path, const std::string& key,
                 const TrainingText& text, const KeptModels& models = {});

/// What save_corpus() wrote, if it wrote it under this key; nothing if there is no file, if it is
/// of another key, or if it is damaged, which is logged. A file that is read is checked as a whole.
/// Of one that is mapped the index is, and each block when it is first read, which then throws
/// DataError: so a start reads no more than the index. It is mapped as it is, so that several runs
/// share the memory that it takes, which is given back after some thousand reads. Throws Stopped
/// after a signal.
[[nodiscard]] std::optional<TrainingText> load_corpus(const std::filesystem::path& path,
                                                      const TokenFileRequest& request);

/// The models that the file keeps, if they are of this tokenizer_key(). Reads the index alone.
[[nodiscard]] std::vector<std::string> load_models(const std::filesystem::path& path,
                                                   const std::string& key);

/// Whether `path` is free or holds a kept corpus (of any version), so that nothing else is lost by
/// saving one there.
[[nodiscard]] bool may_keep_corpus_in(const std::filesystem::path& path);

}  // namespace attend::data
