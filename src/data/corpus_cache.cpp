// Why a kept corpus may be trusted. A file is taken for the text only if it begins with the very
// key that this run computes: the key names everything that the ids follow from, and instead of
// reading gigabytes of text to compare them it takes what the system knows of each file. Size and
// time of change are not enough, since both can be set back (touch -r, cp -p, a restored copy); the
// inode and the time of the last change of the inode cannot. What the key cannot see, a damaged or
// forged file, the checksum over all of it shows; until that was seen no length is believed, so
// memory grows with what was read and every id is checked against the vocabulary. Any doubt means
// that the text is read anew, never an error: the file only saves time. It is written beside its
// name and renamed, so that a killed run leaves the old one, and it holds what reading reported
// (skipped pairs, ill-formed UTF-8), so that a run from it says the same as one from the text.
#include "data/corpus_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/checksum.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/signal.h"

namespace attend::data {
namespace {

using Ids = std::vector<text::TokenId>;

constexpr std::string_view kAnyFormat = "attend corpus ";
constexpr std::string_view kFormat = "attend corpus 3";  // the number changes with the format
constexpr uint32_t kLongestName = 1 << 16;               // bytes
constexpr uint32_t kLongestKey = 1 << 24;

constexpr uint32_t kMostFiles = 1 << 16;
constexpr int64_t kExamplesBetweenLooks = 4096;  // for a signal

uint64_t checksum_of(const std::string& bytes) {
  return add_to_checksum(0, bytes.data(), bytes.size());
}

class Writer {
 public:
  explicit Writer(std::ostream& stream) : stream_(stream) {}

  void bytes(const void* data, std::size_t count) {
    checksum_ = add_to_checksum(checksum_, data, count);
    stream_.write(static_cast<const char*>(data), static_cast<std::streamsize>(count));
  }
  template <class Number>
  void number(Number value) {
    bytes(&value, sizeof(value));
  }
  void text(const std::string& value) {
    number(static_cast<uint32_t>(value.size()));
    bytes(value.data(), value.size());
  }
  void ids(const Ids& values) { bytes(values.data(), values.size() * sizeof(values[0])); }

  void finish() { number(static_cast<uint32_t>(checksum_)); }

 private:
  std::ostream& stream_;
  uint64_t checksum_ = 0;
};

/// A file that is not as it was written.
struct Damaged {};

/// Throws Damaged.
class Reader {
 public:
  explicit Reader(std::istream& stream) : stream_(stream) {}

  void bytes(void* data, std::size_t count) {
    if (!stream_.read(static_cast<char*>(data), static_cast<std::streamsize>(count)))
      throw Damaged();
    checksum_ = add_to_checksum(checksum_, data, count);
  }
  template <class Number>
  Number number() {
    Number value{};
    bytes(&value, sizeof(value));
    return value;
  }
  std::string text(uint32_t longest) {
    const auto length = number<uint32_t>();
    if (length > longest) throw Damaged();
    std::string value(length, '\0');
    bytes(value.data(), length);
    return value;
  }
  /// A block at a time, so that a forged length costs no memory.
  void ids(std::size_t length, int64_t vocabulary, Ids& values) {
    constexpr std::size_t kBlock = 4096;
    values.clear();
    while (values.size() < length) {
      const std::size_t begin = values.size();
      values.resize(std::min(length, begin + kBlock));
      bytes(values.data() + begin, (values.size() - begin) * sizeof(values[0]));
    }
    for (const text::TokenId id : values) {
      if (id < 0 || id >= vocabulary) throw Damaged();
    }
  }

  void finish() {
    const auto expected = static_cast<uint32_t>(checksum_);
    if (number<uint32_t>() != expected || stream_.peek() != std::istream::traits_type::eof())
      throw Damaged();
  }

 private:
  std::istream& stream_;
  uint64_t checksum_ = 0;
};

void write(Writer& writer, const Skipped& skipped) {
  writer.number(skipped.count);
  writer.text(skipped.first);
}

Skipped read_skipped(Reader& reader) {
  const auto count = reader.number<int64_t>();
  return {count, reader.text(kLongestName)};
}

void write(Writer& writer, const std::vector<Repairs>& repairs) {
  writer.number(static_cast<uint32_t>(repairs.size()));
  for (const Repairs& repair : repairs) {
    writer.text(repair.file);
    writer.number(repair.lines);
    writer.number(repair.first);
  }
}

std::vector<Repairs> read_repairs(Reader& reader) {
  const auto count = reader.number<uint32_t>();
  if (count > kMostFiles) throw Damaged();
  std::vector<Repairs> repairs;
  for (uint32_t i = 0; i < count; ++i) {
    std::string file = reader.text(kLongestName);
    const auto lines = reader.number<int64_t>();
    repairs.push_back({std::move(file), lines, reader.number<int64_t>()});
  }
  return repairs;
}

/// Its line, then length and ids of each side, the target last.
void write(Writer& writer, const ParallelCorpus& corpus, int64_t example) {
  writer.number(corpus.line(example));
  const auto write_side = [&](const Ids& ids) {
    writer.number(static_cast<uint32_t>(ids.size()));
    writer.ids(ids);
  };
  for (std::size_t side = 0; side < corpus.sources(); ++side)
    write_side(corpus.source(example, side));
  write_side(corpus.target(example));
}

void write(Writer& writer, const TrainingText& text) {
  writer.number(text.lines);
  writer.number(static_cast<uint32_t>(text.ends.size()));
  for (const int64_t end : text.ends) writer.number(end);
  for (const Skipped* skipped : {&text.empty, &text.too_long, &text.uneven})
    write(writer, *skipped);
  write(writer, text.repairs);
  writer.number(text.corpus.size());
  for (int64_t example = 0; example < text.corpus.size(); ++example) {
    if (example % kExamplesBetweenLooks == 0) stop_if_requested(kStopped);
    write(writer, text.corpus, example);
  }
}

/// Adds `count` examples to `corpus`.
void read_examples(Reader& reader, int64_t count, int64_t vocabulary, ParallelCorpus& corpus) {
  std::vector<Ids> sides(corpus.sources() + 1);
  std::vector<ParallelCorpus::Ids> sources(corpus.sources());
  for (int64_t example = 0; example < count; ++example) {
    if (example % kExamplesBetweenLooks == 0) stop_if_requested(kStopped);
    const auto line = reader.number<int64_t>();
    for (Ids& ids : sides) reader.ids(reader.number<uint32_t>(), vocabulary, ids);
    std::ranges::copy(sides.begin(), sides.end() - 1, sources.begin());
    corpus.add(sources, sides.back(), line);
  }
}

std::vector<int64_t> read_ends(Reader& reader) {
  const auto count = reader.number<uint32_t>();
  if (count > kMostFiles) throw Damaged();
  std::vector<int64_t> ends(count);
  for (int64_t& end : ends) end = reader.number<int64_t>();
  return ends;
}

TrainingText read(Reader& reader, int64_t vocabulary, ParallelCorpus empty) {
  TrainingText text{std::move(empty), reader.number<int64_t>()};
  text.ends = read_ends(reader);
  for (Skipped* skipped : {&text.empty, &text.too_long, &text.uneven})
    *skipped = read_skipped(reader);
  text.repairs = read_repairs(reader);
  read_examples(reader, reader.number<int64_t>(), vocabulary, text.corpus);
  return text;
}

std::string time_of(const timespec& time) {
  return fmt::format("{}.{:09}", time.tv_sec, time.tv_nsec);
}

/// Path, size, and the last change of content and of inode.
std::string identity(const std::filesystem::path& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) throw DataError(file, std::strerror(errno));
  return fmt::format("{}:{}:{}:{}:{}", std::filesystem::absolute(file).string(), status.st_size,
                     status.st_ino, time_of(status.st_mtim), time_of(status.st_ctim));
}

}  // namespace

std::string corpus_key(const DataOptions& options,
                       const std::vector<std::string>& tokenizer_models) {
  std::vector<std::string> parts;
  for (const CorpusFiles& files : options.train) {
    if (!files.tag.empty()) parts.push_back("tag=" + files.tag);
    for (const config::NamedPath& source : files.sources)
      parts.push_back(source.name + "=" + identity(source.path));
    parts.push_back(identity(files.target));
  }
  if (options.reverse_target) parts.emplace_back("reverse_target");
  for (const std::string& model : tokenizer_models)
    parts.push_back(fmt::format("{}:{:08x}", model.size(), checksum_of(model)));
  return fmt::format("{}\nlowercase={} max_length={} max_ratio={}\n{}", kFormat, options.lowercase,
                     options.max_length, options.max_ratio, fmt::join(parts, "\n"));
}

void save_corpus(const std::filesystem::path& path, const std::string& key,
                 const TrainingText& text) {
  write_file_atomically(path, [&](std::ostream& stream) {
    Writer writer(stream);
    writer.text(key);
    write(writer, text);
    writer.finish();
  });
}

std::optional<TrainingText> load_corpus(const std::filesystem::path& path, const std::string& key,
                                        int64_t vocabulary, ParallelCorpus empty) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  Reader reader(stream);
  try {
    if (reader.text(kLongestKey) != key) return std::nullopt;
    TrainingText text = read(reader, vocabulary, std::move(empty));
    reader.finish();
    return text;
  } catch (const Damaged&) {
    log::info("{}: the token ids kept here are not usable; the text is read anew", path.string());
    return std::nullopt;
  }
}

bool may_keep_corpus_in(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::not_found) return true;
  if (type != std::filesystem::file_type::regular) return false;
  std::ifstream stream(path, std::ios::binary);
  std::string head(sizeof(uint32_t) + kAnyFormat.size(), '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.ends_with(kAnyFormat);
}

}  // namespace attend::data
