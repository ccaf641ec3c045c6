// A token file replaces the text only if its index holds exactly the key that this run computes;
// the key names everything that determines the ids (corpus_cache.cpp). Checksums detect damage: the
// index is checked before it is used, each block before one of its ids is used. If the index or a
// block that is read at once is damaged, the text is tokenised again; damage found later, in ids
// that stay in the file, ends the training that reads them. The file is written under another name
// and renamed, so a killed run leaves the old one. It also holds the reports of reading (skipped
// pairs, ill-formed UTF-8), so that a run from the file prints the same warnings as a run from the
// text.
#include "data/token_file.h"

#include <fstream>
#include <string_view>
#include <system_error>

#include "core/file.h"
#include "core/log.h"
#include "data/token_file_arrays.h"
#include "data/token_file_index.h"

namespace attend::data {
namespace {

constexpr std::string_view kAnyHead = "attend corpus ";

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

}  // namespace

void save_corpus(const std::filesystem::path& path, const std::string& key,
                 const TrainingText& text, const KeptModels& models) {
  write_file_atomically(path, [&](std::ostream& stream) {
    IndexWriter index;
    index.text(models.key);
    index.texts(models.models);
    index.text(key);
    write_report(index, text);
    stream << kTokenFileHead;
    write_arrays(stream, index, text.corpus);
    write_index(stream, {index.bytes(), kTokenFileHead.size() + bytes_of_arrays(text.corpus)});
  });
}

std::optional<TrainingText> load_corpus(const std::filesystem::path& path,
                                        const TokenFileRequest& request) {
  try {
    const auto kept = read_index(path);
    if (!kept) return std::nullopt;
    IndexReader index(kept->bytes);
    (void)index.text();   // the key of the models
    (void)index.texts();  // the models
    if (index.text() != request.key) return std::nullopt;
    TrainingText text{ParallelCorpus(0)};
    read_report(index, text);
    text.corpus = load_arrays(
        path, index, {kept->begin, request.vocabulary, request.sources, request.leave_ids});
    text.corpus.end_plain_at(text.lines);
    return text;
  } catch (const Damaged&) {
    log::info("{}: the token cache is damaged; tokenising the text again", path.string());
    return std::nullopt;
  }
}

std::vector<std::string> load_models(const std::filesystem::path& path, const std::string& key) {
  try {
    const auto kept = read_index(path);
    if (!kept) return {};
    IndexReader index(kept->bytes);
    if (index.text() != key) return {};
    return index.texts();
  } catch (const Damaged&) {
    return {};  // load_corpus() reports it
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
  return head.starts_with(kAnyHead) || head.ends_with(kAnyHead);  // at the end up to version 3
}

}  // namespace attend::data
