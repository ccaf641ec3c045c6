#include "app/model/known_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/utf8.h"
#include "storage/model_folder.h"
#include "text/characters.h"

namespace attend::app {
namespace {

using nlohmann::json;

constexpr int64_t kExamples = 100'000;
// A line is like the target if its surprise there is below this times its surprise on the source
// side. In a model from English to German, this holds for 99 in 100 German captions and no English
// one.
constexpr double kLikeTarget = 0.75;

/// True if the line has 15 characters without blanks. A Han or kana character counts as three.
bool says_enough(std::string_view line) {
  constexpr int64_t kEnough = 15;
  int64_t said = 0;
  while (!line.empty() && said < kEnough) {
    const utf8::Character next = utf8::first_character(line);
    line.remove_prefix(next.bytes);
    if (text::is_blank(next.code)) continue;
    said += text::is_written_without_blanks(next.code) ? 3 : 1;
  }
  return said >= kEnough;
}

void add(const std::vector<text::TokenId>& ids, text::PieceCounts& counts) {
  for (const text::TokenId id : ids) ++counts[static_cast<std::size_t>(id)];
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw ModelFileError(
      file,
      fmt::format("{}; it counts the pieces of the training text, and the model works without "
                  "it: remove it",
                  why));
}

text::PieceCounts counts_in(const json& document, const char* side, int64_t size,
                            const std::filesystem::path& file) {
  const auto found = document.find(side);
  if (found == document.end() || !found->is_array() || std::ssize(*found) != size)
    refuse(file, fmt::format("\"{}\" is not a list of {} counts", side, size));
  constexpr int64_t kMost = int64_t{1} << 40;
  text::PieceCounts counts;
  for (const json& value : *found) {
    if (!value.is_number_integer() || value < 0 || value > kMost)
      refuse(file, fmt::format("\"{}\" has a value that is not a count", side));
    counts.push_back(value.get<int64_t>());
  }
  return counts;
}

/// Reads the file unless it is larger than its content can be.
json read_counts(const std::filesystem::path& file, int64_t pieces) {
  const auto most = static_cast<uintmax_t>(100 + 16 * pieces);
  if (std::filesystem::file_size(file) > most) refuse(file, "is larger than its content can be");
  json document = json::parse(read_file(file), nullptr, false);
  if (!document.is_object()) refuse(file, "is not a JSON object");
  return document;
}

}  // namespace

TrainedPieces count_pieces(const data::ParallelCorpus& corpus,
                           const data::TokenizerPair& tokenizers) {
  TrainedPieces pieces{text::PieceCounts(static_cast<std::size_t>(tokenizers.source.size())),
                       text::PieceCounts(static_cast<std::size_t>(tokenizers.target.size()))};
  const int64_t step = std::max<int64_t>(1, corpus.plain_size() / kExamples);
  for (int64_t example = 0; example < corpus.plain_size(); example += step) {
    for (std::size_t i = 0; i < corpus.sources(); ++i)
      add(corpus.source(example, i), pieces.source);
    add(corpus.target(example), pieces.target);
  }
  return pieces;
}

KnownTexts::KnownTexts(std::shared_ptr<const text::Tokenizer> source_tokenizer,
                       std::shared_ptr<const text::Tokenizer> target_tokenizer,
                       const TrainedPieces& pieces)
    : source_(std::move(source_tokenizer), pieces.source),
      target_(std::move(target_tokenizer), pieces.target) {}

Likeness KnownTexts::likeness(std::string_view line) const {
  if (!says_enough(line)) return Likeness::kTooShort;
  const text::Surprise read = source_.surprise(line);
  const double written = target_.surprise(line).per_character();
  if (written < kLikeTarget * read.per_character()) return Likeness::kTarget;
  return source_.resembles(read) ? Likeness::kSource : Likeness::kNeither;
}

void save_trained_pieces(const std::filesystem::path& directory, const TrainedPieces& pieces) {
  const json document = {{"source", pieces.source}, {"target", pieces.target}};
  write_file_atomically(directory / storage::model_folder::kPieces, document.dump() + "\n");
}

void copy_trained_pieces(const std::filesystem::path& from, const std::filesystem::path& to) {
  const std::filesystem::path file = from / storage::model_folder::kPieces;
  if (std::filesystem::exists(file))
    write_file_atomically(to / storage::model_folder::kPieces, read_file(file));
}

std::shared_ptr<const KnownTexts> load_known_texts(
    const std::filesystem::path& directory, const std::shared_ptr<const text::Tokenizer>& source,
    const std::shared_ptr<const text::Tokenizer>& target) {
  const std::filesystem::path file = directory / storage::model_folder::kPieces;
  if (!std::filesystem::exists(file)) return nullptr;
  const json document = read_counts(file, source->size() + target->size());
  return std::make_shared<const KnownTexts>(
      source, target,
      TrainedPieces{counts_in(document, "source", source->size(), file),
                    counts_in(document, "target", target->size(), file)});
}

}  // namespace attend::app
