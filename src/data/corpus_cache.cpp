#include "data/corpus_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/checksum.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"

namespace attend::data {
namespace {

using Ids = std::vector<text::TokenId>;

constexpr const char* kFormat = "attend corpus 1";  // the number changes with the format
constexpr uint32_t kLongestName = 1 << 16;          // bytes
constexpr uint32_t kLongestKey = 1 << 24;

/// What stands in front of each pair's ids.
struct PairHead {
  int64_t line = 0;
  uint32_t source_length = 0;
  uint32_t target_length = 0;
};

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

void write(Writer& writer, const TrainingText& text) {
  writer.number(text.lines);
  for (const Skipped* skipped : {&text.empty, &text.too_long, &text.uneven})
    write(writer, *skipped);
  writer.number(text.corpus.size());
  for (int64_t pair = 0; pair < text.corpus.size(); ++pair) {
    const Ids source = text.corpus.source(pair);
    const Ids target = text.corpus.target(pair);
    writer.number(PairHead{text.corpus.line(pair), static_cast<uint32_t>(source.size()),
                           static_cast<uint32_t>(target.size())});
    writer.ids(source);
    writer.ids(target);
  }
}

TrainingText read(Reader& reader, int64_t vocabulary, std::shared_ptr<Chunks> memory) {
  TrainingText text{
      ParallelCorpus(vocabulary, std::move(memory)), reader.number<int64_t>(), {}, {}, {}};
  for (Skipped* skipped : {&text.empty, &text.too_long, &text.uneven})
    *skipped = read_skipped(reader);
  const auto pairs = reader.number<int64_t>();
  Ids source, target;
  for (int64_t pair = 0; pair < pairs; ++pair) {
    const auto head = reader.number<PairHead>();
    reader.ids(head.source_length, vocabulary, source);
    reader.ids(head.target_length, vocabulary, target);
    text.corpus.add(source, target, head.line);
  }
  return text;
}

/// Path, size and time of the last change.
std::string identity(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) throw DataError(file, error.message());
  const auto time = std::filesystem::last_write_time(file, error);
  if (error) throw DataError(file, error.message());
  return fmt::format("{}:{}:{}", std::filesystem::absolute(file).string(), size,
                     time.time_since_epoch().count());
}

}  // namespace

std::string corpus_key(const DataOptions& options,
                       const std::vector<std::string>& tokenizer_models) {
  std::vector<std::string> parts;
  for (const PairFiles& files : options.train) {
    parts.push_back(identity(files.source));
    parts.push_back(identity(files.target));
  }
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
                                        int64_t vocabulary, std::shared_ptr<Chunks> memory) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  Reader reader(stream);
  try {
    if (reader.text(kLongestKey) != key) return std::nullopt;
    TrainingText text = read(reader, vocabulary, std::move(memory));
    reader.finish();
    return text;
  } catch (const Damaged&) {
    log::info("{}: the token ids kept here are not usable; the text is read anew", path.string());
    return std::nullopt;
  }
}

}  // namespace attend::data
