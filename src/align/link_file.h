#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "align/links.h"

namespace attend::align {

/// What a file of links may hold, a line for each sentence pair; an empty line has no links.
enum class LinkFormat {
  kPharaoh,  ///< "i-j"
  kGold,     ///< "i-j" for sure links, "ipj" for links that are only possible
};

/// Words of the two sides of a sentence pair.
struct PairSize {
  int64_t source = 0;
  int64_t target = 0;
};

/// The links of a whole file, and where in it each of them stands.
class LinkFile {
 public:
  /// Reads a plain or gzip file, or standard input ("-"). Throws DataError with file, line and
  /// column (in characters, from 1) for anything that is not a link of that format.
  LinkFile(std::filesystem::path path, LinkFormat format);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Number of lines.
  [[nodiscard]] std::size_t size() const { return sentences_.size(); }
  /// All links of a line (from 0), possible ones too. Throws std::out_of_range past the end, as all
  /// that follow.
  [[nodiscard]] Links links(std::size_t sentence) const;
  [[nodiscard]] GoldLinks gold(std::size_t sentence) const;

  /// Throws DataError with file, line and column if a link of that line lies outside a pair of that
  /// many words; it names the position and the length of the sentence.
  void check_inside(std::size_t sentence, const PairSize& size) const;

 private:
  struct Entry {
    Link link;
    bool sure = true;
    int64_t column = 0;
  };

  std::filesystem::path path_;
  std::vector<std::vector<Entry>> sentences_;
};

}  // namespace attend::align
