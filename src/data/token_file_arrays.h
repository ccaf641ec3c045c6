#pragma once
#include <cstdint>
#include <filesystem>
#include <ostream>

#include "data/parallel_corpus.h"
#include "data/token_file_index.h"

// The arrays of a token file, between its head and its index.

namespace attend::data {

/// Bytes of all arrays.
[[nodiscard]] uint64_t bytes_of_arrays(const ParallelCorpus& corpus);

/// Writes the arrays one after another. Writes to the index their sizes and the CRC-32 of every
/// block of 2 MiB (Chunks::kBytes). Throws Stopped after a signal.
void write_arrays(std::ostream& stream, IndexWriter& index, const ParallelCorpus& corpus);

/// Parameters of load_arrays().
struct ArraysRequest {
  uint64_t end = 0;        ///< offset in the file
  int64_t vocabulary = 0;  ///< every id is below it
  std::size_t sources = 1;
  bool leave_ids = false;  ///< read ids when they are needed (see StoredIds)
};

/// Loads what write_arrays() wrote and compares every block with its checksum. Ids that stay in the
/// file are compared on first read, which may throw DataError. Throws Damaged, and Stopped after a
/// signal.
[[nodiscard]] ParallelCorpus load_arrays(const std::filesystem::path& path, IndexReader& index,
                                         const ArraysRequest& request);

}  // namespace attend::data
