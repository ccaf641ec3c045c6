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
#include "data/stored_ids.h"

namespace attend::data {
namespace {

constexpr uint64_t kNarrowIds = uint64_t{std::numeric_limits<uint16_t>::max()} + 1;

using Place = ParallelCorpus::Place;

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

StoredArray read_section(IndexReader& index, uint64_t begin, std::size_t element) {
  StoredArray section{begin, index.number<uint64_t>(), index.number<uint64_t>(), {}};
  if (section.element != element || section.size > (uint64_t{1} << 56)) throw Damaged();
  const uint64_t blocks = (section.bytes() + Chunks::kBytes - 1) / Chunks::kBytes;
  section.checksums = index.checksums(blocks);
  return section;
}

/// Throws Damaged unless the checksum of the block matches and, in a block of ids, every id is in
/// the vocabulary.
template <class Element>
void check_block(const StoredArray& section, std::size_t block, const Element* elements,
                 int64_t vocabulary) {
  const std::size_t bytes = section.block_bytes(block);
  if (checksum_of(elements, bytes) != section.checksums[block]) throw Damaged();
  if constexpr (std::is_same_v<Element, uint16_t> || std::is_same_v<Element, text::TokenId>) {
    const auto known = [&](Element id) { return int64_t{id} >= 0 && int64_t{id} < vocabulary; };
    if (!std::all_of(elements, elements + bytes / sizeof(Element), known)) throw Damaged();
  }
}

/// Memory for the arrays that are loaded completely. If the ids stay in their file, the corpus is
/// large; its places and lengths then go to a nameless file in the same folder, if one can be
/// created.
std::shared_ptr<Chunks> room_for(const std::filesystem::path& path, const ArraysRequest& request) {
  if (!request.leave_ids) return chunks_in_memory();
  try {
    return make_chunks(Storage::mmap, path.parent_path());
  } catch (const DataError&) {  // the server may read a folder that it cannot write to
    return chunks_in_memory();
  }
}

/// Reads arrays of a file into memory.
class ArrayLoader {
 public:
  ArrayLoader(const std::filesystem::path& path, const ArraysRequest& request)
      : vocabulary_(request.vocabulary),
        stream_(path, std::ios::binary),
        memory_(room_for(path, request)) {}

  [[nodiscard]] const std::shared_ptr<Chunks>& memory() const { return memory_; }

  template <class Element>
  ChunkedArray<Element> array(const StoredArray& section) {
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
    return {memory_, section.size, blocks};
  }

 private:
  int64_t vocabulary_;
  std::ifstream stream_;
  std::shared_ptr<Chunks> memory_;
};

TokenBlock load_ids(const std::filesystem::path& path, ArrayLoader& loader, const StoredArray& ids,
                    const ArraysRequest& request) {
  if (request.leave_ids)
    return {loader.memory(), std::make_shared<const StoredIds>(path, ids, request.vocabulary)};
  if (ids.element == sizeof(uint16_t))
    return {loader.memory(), TokenBlock::Ids(loader.array<uint16_t>(ids))};
  return {loader.memory(), TokenBlock::Ids(loader.array<text::TokenId>(ids))};
}

}  // namespace

ParallelCorpus load_arrays(const std::filesystem::path& path, IndexReader& index,
                           const ArraysRequest& request) {
  const bool narrow = static_cast<uint64_t>(request.vocabulary) <= kNarrowIds;
  const StoredArray places = read_section(index, kTokenFileHead.size(), sizeof(Place));
  const StoredArray lengths = read_section(index, places.begin + places.bytes(), sizeof(uint32_t));
  const StoredArray ids = read_section(index, lengths.begin + lengths.bytes(),
                                       narrow ? sizeof(uint16_t) : sizeof(text::TokenId));
  const bool sound =
      ids.begin + ids.bytes() == request.end && lengths.size == places.size * (request.sources + 1);
  if (!sound) throw Damaged();
  ArrayLoader loader(path, request);
  auto place_array = loader.array<Place>(places);
  auto length_array = loader.array<uint32_t>(lengths);
  return {request.sources,
          {load_ids(path, loader, ids, request), std::move(place_array), std::move(length_array)}};
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
