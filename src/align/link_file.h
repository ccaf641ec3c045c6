#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "align/links.h"
#include "core/file.h"

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

/// The links of one line, and where in it each of them stands.
class LinkLine {
 public:
  /// All links, possible ones too.
  [[nodiscard]] Links links() const;
  [[nodiscard]] GoldLinks gold() const;

  /// Throws DataError with file, line (from 1) and column if a link lies outside a pair of that
  /// many words; it names the position and the length of the sentence.
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

  /// The next line, or nothing at the end. Throws DataError with file, line and column (in
  /// characters, from 1) for anything that is not a link of that format.
  std::optional<LinkLine> next();

  [[nodiscard]] const std::filesystem::path& path() const { return reader_.path(); }
  /// Number (from 1) of the last line.
  [[nodiscard]] int64_t line_number() const { return reader_.line_number(); }

 private:
  LineReader reader_;
  LinkFormat format_;
};

/// The links of a whole file.
class LinkFile {
 public:
  /// Throws as LinkReader.
  LinkFile(std::filesystem::path path, LinkFormat format);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Number of lines.
  [[nodiscard]] std::size_t size() const { return sentences_.size(); }
  /// All links of a line (from 0), possible ones too. Throws std::out_of_range past the end, as all
  /// that follow.
  [[nodiscard]] Links links(std::size_t sentence) const;
  [[nodiscard]] GoldLinks gold(std::size_t sentence) const;

  /// As LinkLine::check_inside().
  void check_inside(std::size_t sentence, const PairSize& size) const;

 private:
  std::filesystem::path path_;
  std::vector<LinkLine> sentences_;
};

}  // namespace attend::align
