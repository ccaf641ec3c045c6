#include "data/token_file_arrays.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/signal.h"
#include "data/corpus_reader.h"
#include "data/mapped_file.h"

namespace attend::data {
namespace {

constexpr uint64_t kNarrowIds = uint64_t{std::numeric_limits<uint16_t>::max()} + 1;

using Place = ParallelCorpus::Place;

/// The location of an array in the file.
struct Section {
  uint64_t begin = 0;               // offset in the file
  uint64_t size = 0;                // elements
  uint64_t element = 0;             // bytes
  std::vector<uint32_t> checksums;  // one per block

  [[nodiscard]] uint64_t bytes() const { return size * element; }
  [[nodiscard]] std::size_t block_bytes(std::size_t block) const {
    return static_cast<std::size_t>(
        std::min<uint64_t>(Chunks::kBytes, bytes() - block * Chunks::kBytes));
  }
};

/// Calls `add` with each array of a corpus, in the order of the file.
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

/// Throws Damaged unless the checksum of the block matches and, in a block of ids, every id is in
/// the vocabulary.
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

/// Maps the arrays of a file or reads them into memory.
class ArrayLoader {
 public:
  ArrayLoader(const std::filesystem::path& path, const ArraysRequest& request)
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
                        "the token cache is damaged; delete the file and resume the run, which "
                        "writes a new one");
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
  std::shared_ptr<MappedFile> mapped_;  // null if the file is read
  std::shared_ptr<Chunks> memory_;
};

}  // namespace

ParallelCorpus load_arrays(const std::filesystem::path& path, IndexReader& index,
                           const ArraysRequest& request) {
  const bool narrow = static_cast<uint64_t>(request.vocabulary) <= kNarrowIds;
  const Section places = read_section(index, kTokenFileHead.size(), sizeof(Place));
  const Section lengths = read_section(index, places.begin + places.bytes(), sizeof(uint32_t));
  const Section ids = read_section(index, lengths.begin + lengths.bytes(),
                                   narrow ? sizeof(uint16_t) : sizeof(text::TokenId));
  const bool sound =
      ids.begin + ids.bytes() == request.end && lengths.size == places.size * (request.sources + 1);
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

uint64_t bytes_of_arrays(const ParallelCorpus& corpus) {
  uint64_t bytes = 0;
  for_each_array(corpus, [&](const auto& array) { bytes += array.size() * sizeof(array[0]); });
  return bytes;
}

void write_arrays(std::ostream& stream, IndexWriter& index, const ParallelCorpus& corpus) {
  for_each_array(corpus, [&](const auto& array) { write_array(stream, index, array); });
}

}  // namespace attend::data
