#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus_reader.h"

namespace attend::data {

/// SentencePiece models and their tokenizer_key().
struct KeptModels {
  std::string key;                  ///< empty if there are no models
  std::vector<std::string> models;  ///< the bytes of one joint model, or of {source, target}
};

/// Parameters of load_corpus().
struct TokenFileRequest {
  std::string key;         ///< corpus_key()
  int64_t vocabulary = 0;  ///< size of the larger vocabulary; every id is below it
  std::size_t sources = 1;
  bool leave_ids = false;  ///< read ids when they are needed (see StoredIds)
};

/// Writes `text` and its `key` to a token file, atomically:
///   "attend corpus 4\n"
///   16 bytes for each example (position of its first id, line), 4 for the length of each side,
///   2 or 4 for each id
///   the index: `models`, the key, the counts of read, skipped and repaired lines, and for each of
///   the three arrays its size and a CRC-32 of every block of 2 MiB (Chunks::kBytes)
///   the offset of the index, its CRC-32 and "attn".
/// All numbers are little-endian. Requires: no attention goals. Throws DataError, and Stopped after
/// a signal.
void save_corpus(const std::filesystem::path& path, const std::string& key,
                 const TrainingText& text, const KeptModels& models = {});

/// Loads what save_corpus() wrote under this key. Returns nothing if there is no file, if it has
/// another key, or if it is damaged, which is logged. The whole file is checked, except ids that
/// stay in it: each block of these is checked on first read, which may throw DataError. Runs that
/// read the same file share the system's cache of it. Throws Stopped after a signal.
[[nodiscard]] std::optional<TrainingText> load_corpus(const std::filesystem::path& path,
                                                      const TokenFileRequest& request);

/// The models stored in the file under this tokenizer_key(), or none. Reads only the index.
[[nodiscard]] std::vector<std::string> load_models(const std::filesystem::path& path,
                                                   const std::string& key);

/// True if `path` may be overwritten: it does not exist or is a token file (of any version).
[[nodiscard]] bool may_keep_corpus_in(const std::filesystem::path& path);

}  // namespace attend::data
