#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "align/attention_matrix.h"

namespace attend::app {

/// The links or weights of a text, read line by line.
class VoteReader {
 public:
  virtual ~VoteReader() = default;

  /// Adds the weights of the next pair to `words`, its word_matrix(). Returns false at the end of
  /// the file. Throws DataError with file and line if the pair does not fit.
  virtual bool add_next(align::AttentionMatrix& words) = 0;
};

/// Reads several files of links or weights of one text in parallel. A file has either Pharaoh
/// links, which have weight 1, or attention records of words (`--format jsonl`). Their source and
/// target may be swapped, as a target-to-source model writes them.
class VoteFiles {
 public:
  /// Requires: at least one file. Throws DataError if a file cannot be read, and UsageError for a
  /// pipe, because the first line is read twice.
  explicit VoteFiles(const std::vector<std::string>& paths);

  /// Adds the mean weights of all files to `words`, the word_matrix() of the next pair. Throws
  /// DataError for links outside the pair, records of other words, and a file with fewer lines.
  void add_next(align::AttentionMatrix& words);

  /// Throws DataError if a file has more lines than add_next() read. `source` is the file of the
  /// pairs, for the message.
  void check_end(const std::filesystem::path& source);

 private:
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<VoteReader>> readers_;
  std::size_t lines_ = 0;
};

}  // namespace attend::app
