#pragma once
#include <cstdint>
#include <filesystem>
#include <ostream>

#include "data/parallel_corpus.h"
#include "data/token_file_index.h"

// The arrays of a token file: what lies between its head and its index.

namespace attend::data {

/// Bytes of all arrays.
[[nodiscard]] uint64_t bytes_of_arrays(const ParallelCorpus& corpus);

/// Writes the arrays one after the other; their sizes and the CRC-32 of every block of 2 MiB
/// (Chunks::kBytes) go to the index. Throws Stopped after a signal.
void write_arrays(std::ostream& stream, IndexWriter& index, const ParallelCorpus& corpus);

/// How the arrays of a file are read.
struct ArraysRequest {
  uint64_t end = 0;        ///< in the file
  int64_t vocabulary = 0;  ///< every id is below
  std::size_t sources = 1;
  bool mapped = false;  ///< map the file into memory; else read it
};

/// What write_arrays() wrote. Of a file that is read every block is compared with its checksum; one
/// that is mapped when it is first read, which then throws DataError. Throws Damaged, and Stopped
/// after a signal.
[[nodiscard]] ParallelCorpus load_arrays(const std::filesystem::path& path, IndexReader& index,
                                         const ArraysRequest& request);

}  // namespace attend::data
