// Why a kept corpus may be trusted. A file is taken for the text only if its index holds the very
// key that this run computes: the key names everything that the ids follow from (corpus_cache.cpp).
// What the key cannot see, damage, checksums show: that of the index before any of it is believed,
// those of the blocks before an id of theirs is. A damaged index, or block of a file that is read,
// means that the text is read anew; in a file that is mapped a block shows its damage when training
// is under way, which ends then. The file is written beside its name and renamed, so that a killed
// run leaves the old one, and it holds what reading reported (skipped pairs, ill-formed UTF-8), so
// that a run from it says the same as one from the text.
#include "data/token_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "core/checksum.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/signal.h"

namespace attend::data {
namespace {

constexpr std::string_view kHead = "attend corpus 4\n";
constexpr std::string_view kAnyHead = "attend corpus ";
constexpr std::string_view kEndMark = "attn";
constexpr uint32_t kMostTexts = 1 << 16;
constexpr uint64_t kNarrowIds = uint64_t{std::numeric_limits<uint16_t>::max()} + 1;

using Place = ParallelCorpus::Place;

/// A file that is not as it was written.
struct Damaged {};

uint32_t checksum_of(const void* bytes, std::size_t count) {
  return static_cast<uint32_t>(add_to_checksum(0, bytes, count));
}

/// The index in the making.
class IndexWriter {
 public:
  template <class Number>
  void number(Number value) {
    static_assert(std::is_arithmetic_v<Number>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void text(const std::string& value) {
    number(static_cast<uint32_t>(value.size()));
    bytes_ += value;
  }
  void texts(const std::vector<std::string>& values) {
    number(static_cast<uint32_t>(values.size()));
    for (const std::string& value : values) text(value);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Throws Damaged.
class IndexReader {
 public:
  explicit IndexReader(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
  Number number() {
    Number value{};
    const std::string_view bytes = take(sizeof(value));
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }
  std::string text() { return std::string(take(number<uint32_t>())); }
  uint32_t count() {
    const auto value = number<uint32_t>();
    if (value > kMostTexts) throw Damaged();
    return value;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values(count());
    for (std::string& value : values) value = text();
    return values;
  }
  std::vector<uint32_t> checksums(uint64_t count) {
    std::vector<uint32_t> values;
    if (count > rest_.size() / sizeof(uint32_t)) throw Damaged();
    for (uint64_t i = 0; i < count; ++i) values.push_back(number<uint32_t>());
    return values;
  }

 private:
  std::string_view take(std::size_t count) {
    if (count > rest_.size()) throw Damaged();
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

// --- The arrays ------------------------------------------------------------------------------

/// An array in the file.
struct Section {
  uint64_t begin = 0;  // in the file
  uint64_t size = 0;   // elements
  uint64_t element = 0;
  std::vector<uint32_t> checksums;  // of each block

  [[nodiscard]] uint64_t bytes() const { return size * element; }
  [[nodiscard]] std::size_t block_bytes(std::size_t block) const {
    return static_cast<std::size_t>(
        std::min<uint64_t>(Chunks::kBytes, bytes() - block * Chunks::kBytes));
  }
};

/// `add` the bytes of every block of the arrays of a corpus, which have their order in the file.
template <class Add>
void for_each_array(const ParallelCorpus& corpus, const Add& add) {
  add(corpus.places());
  add(corpus.lengths());
  std::visit(add, corpus.token_block().ids());
}

template <class Element>
void write_array(std::ostream& stream, IndexWriter& index, const ChunkedArray<Element>& array) {
  index.number(array.size());
  index.number(static_cast<uint64_t>(sizeof(Element)));
  for (std::size_t i = 0; i < array.chunks(); ++i) {
    stop_if_requested(kStopped);
    const auto bytes = std::as_bytes(array.chunk(i));
    index.number(checksum_of(bytes.data(), bytes.size()));
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
  }
}

Section read_section(IndexReader& index, uint64_t begin, std::size_t element) {
  Section section{begin, index.number<uint64_t>(), index.number<uint64_t>(), {}};
  if (section.element != element || section.size > (uint64_t{1} << 56)) throw Damaged();
  const uint64_t blocks = (section.bytes() + Chunks::kBytes - 1) / Chunks::kBytes;
  section.checksums = index.checksums(blocks);
  return section;
}

// --- What reading reported -------------------------------------------------------------------

void write_report(IndexWriter& index, const TrainingText& text) {
  index.number(text.lines);
  index.number(static_cast<uint32_t>(text.ends.size()));
  for (const int64_t end : text.ends) index.number(end);
  for (const Skipped* skipped : {&text.empty, &text.too_long, &text.uneven}) {
    index.number(skipped->count);
    index.text(skipped->first);
  }
  index.number(static_cast<uint32_t>(text.repairs.size()));
  for (const Repairs& repair : text.repairs) {
    index.text(repair.file);
    index.number(repair.lines);
    index.number(repair.first);
  }
}

void read_report(IndexReader& index, TrainingText& text) {
  text.lines = index.number<int64_t>();
  text.ends.resize(index.count());
  for (int64_t& end : text.ends) end = index.number<int64_t>();
  for (Skipped* skipped : {&text.empty, &text.too_long, &text.uneven}) {
    skipped->count = index.number<int64_t>();
    skipped->first = index.text();
  }
  text.repairs.resize(index.count());
  for (Repairs& repair : text.repairs) {
    repair.file = index.text();
    repair.lines = index.number<int64_t>();
    repair.first = index.number<int64_t>();
  }
}

// --- The file --------------------------------------------------------------------------------

/// The last bytes of the file.
struct Tail {
  uint64_t index_begin = 0;
  uint32_t index_checksum = 0;
  std::array<char, kEndMark.size()> mark = {};
};
static_assert(sizeof(Tail) == 16);

/// The index of a file, its checksum compared; nothing if it is of no or of another format. Throws
/// Damaged.
std::optional<std::string> read_index(std::ifstream& stream, uint64_t& begin) {
  std::string head(kHead.size(), '\0');
  if (!stream.read(head.data(), static_cast<std::streamsize>(head.size())) || head != kHead)
    return std::nullopt;
  stream.seekg(0, std::ios::end);
  const auto size = static_cast<uint64_t>(stream.tellg());
  if (size < kHead.size() + sizeof(Tail)) throw Damaged();
  const uint64_t tail_begin = size - sizeof(Tail);
  Tail tail;
  stream.seekg(static_cast<std::streamoff>(tail_begin));
  stream.read(reinterpret_cast<char*>(&tail), sizeof(tail));
  const bool sound = std::string_view(tail.mark.data(), tail.mark.size()) == kEndMark &&
                     tail.index_begin >= kHead.size() && tail.index_begin <= tail_begin;
  if (!stream || !sound) throw Damaged();
  std::string index(tail_begin - tail.index_begin, '\0');
  stream.seekg(static_cast<std::streamoff>(tail.index_begin));
  stream.read(index.data(), static_cast<std::streamsize>(index.size()));
  if (!stream || checksum_of(index.data(), index.size()) != tail.index_checksum) throw Damaged();
  begin = tail.index_begin;
  return index;
}

std::optional<std::string> read_index(const std::filesystem::path& path, uint64_t& begin) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  return read_index(stream, begin);
}

/// Throws Damaged unless the block has its checksum and, where it is of ids, those of the
/// vocabulary.
template <class Element>
void check_block(const Section& section, std::size_t block, const Element* elements,
                 int64_t vocabulary) {
  const std::size_t bytes = section.block_bytes(block);
  if (checksum_of(elements, bytes) != section.checksums[block]) throw Damaged();
  if constexpr (std::is_same_v<Element, uint16_t> || std::is_same_v<Element, text::TokenId>) {
    const auto known = [&](Element id) { return int64_t{id} >= 0 && int64_t{id} < vocabulary; };
    if (!std::all_of(elements, elements + bytes / sizeof(Element), known)) throw Damaged();
  }
}

/// A file mapped into memory, read only.
class MappedFile final : public Chunks {
 public:
  explicit MappedFile(const std::filesystem::path& path)
      : path_(path), size_(std::filesystem::file_size(path)) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw Damaged();
    begin_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
    ::close(descriptor);
    if (begin_ == MAP_FAILED) throw DataError(path, "cannot be mapped into memory");
  }
  ~MappedFile() override { ::munmap(begin_, size_); }

  void* add() override { throw std::logic_error("a kept corpus does not grow"); }
  void note_read() override {
    // The system maps some 64 KiB around what is read: 64 MiB.
    constexpr uint32_t kReadsToKeep = 1024;
    if (++reads_ % kReadsToKeep == 0) ::madvise(begin_, size_, MADV_DONTNEED);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] std::byte* at(uint64_t offset) const {
    return static_cast<std::byte*>(begin_) + offset;
  }

 private:
  std::filesystem::path path_;
  uint64_t size_;
  void* begin_;
  std::atomic<uint32_t> reads_ = 0;
};

/// Where the arrays of a file come from: its mapping, or memory that they are read into.
class ArrayLoader {
 public:
  ArrayLoader(const std::filesystem::path& path, const TokenFileRequest& request)
      : vocabulary_(request.vocabulary), stream_(path, std::ios::binary) {
    if (request.mapped) mapped_ = std::make_shared<MappedFile>(path);
    memory_ = mapped_ ? mapped_ : chunks_in_memory();
  }

  [[nodiscard]] const std::shared_ptr<Chunks>& memory() const { return memory_; }

  template <class Element>
  ChunkedArray<Element> array(const Section& section) {
    return mapped_ ? map<Element>(section) : read<Element>(section);
  }

 private:
  template <class Element>
  ChunkedArray<Element> map(const Section& section) {
    if (section.begin + section.bytes() > mapped_->size()) throw Damaged();
    std::vector<Element*> blocks;
    for (std::size_t i = 0; i < section.checksums.size(); ++i)
      blocks.push_back(reinterpret_cast<Element*>(mapped_->at(section.begin + i * Chunks::kBytes)));
    const auto check = [section, blocks, vocabulary = vocabulary_,
                        path = mapped_->path()](std::size_t i) {
      try {
        check_block(section, i, blocks[i], vocabulary);
      } catch (const Damaged&) {
        throw DataError(path,
                        "the token ids kept here are damaged; remove the file and go on "
                        "with a new one");
      }
    };
    const auto checks = std::make_shared<const ChunkChecks>(blocks.size(), check);
    return {memory_, section.size, blocks, checks};
  }

  template <class Element>
  ChunkedArray<Element> read(const Section& section) {
    std::vector<Element*> blocks;
    stream_.seekg(static_cast<std::streamoff>(section.begin));
    for (std::size_t i = 0; i < section.checksums.size(); ++i) {
      stop_if_requested(kStopped);
      auto* block = static_cast<Element*>(memory_->add());
      if (!stream_.read(reinterpret_cast<char*>(block),
                        static_cast<std::streamsize>(section.block_bytes(i))))
        throw Damaged();
      check_block(section, i, block, vocabulary_);
      blocks.push_back(block);
    }
    return {memory_, section.size, blocks, nullptr};
  }

  int64_t vocabulary_;
  std::ifstream stream_;
  std::shared_ptr<MappedFile> mapped_;  // null: the file is read
  std::shared_ptr<Chunks> memory_;
};

ParallelCorpus load_arrays(IndexReader& index, uint64_t index_begin,
                           const std::filesystem::path& path, const TokenFileRequest& request) {
  const bool narrow = static_cast<uint64_t>(request.vocabulary) <= kNarrowIds;
  const Section places = read_section(index, kHead.size(), sizeof(Place));
  const Section lengths = read_section(index, places.begin + places.bytes(), sizeof(uint32_t));
  const Section ids = read_section(index, lengths.begin + lengths.bytes(),
                                   narrow ? sizeof(uint16_t) : sizeof(text::TokenId));
  const bool sound =
      ids.begin + ids.bytes() == index_begin && lengths.size == places.size * (request.sources + 1);
  if (!sound) throw Damaged();
  ArrayLoader loader(path, request);
  auto place_array = loader.array<Place>(places);
  auto length_array = loader.array<uint32_t>(lengths);
  TokenBlock::Ids id_array = narrow ? TokenBlock::Ids(loader.array<uint16_t>(ids))
                                    : TokenBlock::Ids(loader.array<text::TokenId>(ids));
  return {request.sources,
          {TokenBlock(loader.memory(), std::move(id_array)), std::move(place_array),
           std::move(length_array)}};
}

}  // namespace

uint64_t token_file_bytes(const ParallelCorpus& corpus) {
  uint64_t bytes = 0;
  for_each_array(corpus, [&](const auto& array) { bytes += array.size() * sizeof(array[0]); });
  return bytes;
}

void save_corpus(const std::filesystem::path& path, const std::string& key,
                 const TrainingText& text, const KeptModels& models) {
  write_file_atomically(path, [&](std::ostream& stream) {
    IndexWriter index;
    index.text(models.key);
    index.texts(models.models);
    index.text(key);
    write_report(index, text);
    stream << kHead;
    for_each_array(text.corpus, [&](const auto& array) { write_array(stream, index, array); });
    const uint64_t begin = kHead.size() + token_file_bytes(text.corpus);
    const std::string& bytes = index.bytes();
    Tail tail{begin, checksum_of(bytes.data(), bytes.size()), {}};
    std::ranges::copy(kEndMark, tail.mark.begin());
    stream << bytes;
    stream.write(reinterpret_cast<const char*>(&tail), sizeof(tail));
  });
}

std::optional<TrainingText> load_corpus(const std::filesystem::path& path,
                                        const TokenFileRequest& request) {
  try {
    uint64_t begin = 0;
    const auto bytes = read_index(path, begin);
    if (!bytes) return std::nullopt;
    IndexReader index(*bytes);
    (void)index.text();   // of the models
    (void)index.texts();  // the models
    if (index.text() != request.key) return std::nullopt;
    TrainingText text{ParallelCorpus(0)};
    read_report(index, text);
    text.corpus = load_arrays(index, begin, path, request);
    return text;
  } catch (const Damaged&) {
    log::info("{}: the token ids kept here are not usable; the text is read anew", path.string());
    return std::nullopt;
  }
}

std::vector<std::string> load_models(const std::filesystem::path& path, const std::string& key) {
  try {
    uint64_t begin = 0;
    const auto bytes = read_index(path, begin);
    if (!bytes) return {};
    IndexReader index(*bytes);
    if (index.text() != key) return {};
    return index.texts();
  } catch (const Damaged&) {
    return {};  // load_corpus() says so
  }
}

bool may_keep_corpus_in(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::not_found) return true;
  if (type != std::filesystem::file_type::regular) return false;
  std::ifstream stream(path, std::ios::binary);
  std::string head(sizeof(uint32_t) + kAnyHead.size(), '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.starts_with(kAnyHead) || head.ends_with(kAnyHead);  // up to version 3
}

}  // namespace attend::data
