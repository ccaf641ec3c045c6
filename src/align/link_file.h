#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "align/links.h"
#include "core/file.h"

namespace attend::align {

/// The format of a link file, which has one line per sentence pair. An empty line has no links.
enum class LinkFormat {
  kPharaoh,  ///< "i-j"
  kGold,     ///< "i-j" for sure links, "ipj" for possible links
};

/// The number of words on each side of a sentence pair.
struct PairSize {
  int64_t source = 0;
  int64_t target = 0;
};

/// The links of one line, with the column of each.
class LinkLine {
 public:
  /// All links, sure and possible.
  [[nodiscard]] Links links() const;
  [[nodiscard]] GoldLinks gold() const;

  /// Throws DataError if a link lies outside a sentence pair of this size. The message has the
  /// file, the line (from 1), the column, the position and the sentence length.
  void check_inside(const PairSize& size, const std::filesystem::path& path, int64_t line) const;

 private:
  friend class LinkReader;
  struct Entry {
    Link link;
    bool sure = true;
    int64_t column = 0;
  };
  std::vector<Entry> entries_;
};

/// Reads a plain or gzip file, or standard input ("-"), line by line.
class LinkReader {
 public:
  /// Throws DataError if the file cannot be read.
  LinkReader(const std::filesystem::path& path, LinkFormat format)
      : reader_(path), format_(format) {}

  /// The next line, or nothing at the end. Throws DataError with the file, line and column (in
  /// characters, from 1) of a malformed link.
  std::optional<LinkLine> next();

  [[nodiscard]] const std::filesystem::path& path() const { return reader_.path(); }
  /// Number (from 1) of the line that next() returned last.
  [[nodiscard]] int64_t line_number() const { return reader_.line_number(); }

 private:
  LineReader reader_;
  LinkFormat format_;
};

/// The links of a whole file.
class LinkFile {
 public:
  /// Throws what LinkReader throws.
  LinkFile(std::filesystem::path path, LinkFormat format);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Number of lines.
  [[nodiscard]] std::size_t size() const { return sentences_.size(); }
  /// All links of a line (from 0), sure and possible. This and the functions below throw
  /// std::out_of_range past the end.
  [[nodiscard]] Links links(std::size_t sentence) const;
  [[nodiscard]] GoldLinks gold(std::size_t sentence) const;

  /// Calls LinkLine::check_inside() for a line (from 0).
  void check_inside(std::size_t sentence, const PairSize& size) const;

 private:
  std::filesystem::path path_;
  std::vector<LinkLine> sentences_;
};

}  // namespace attend::align
