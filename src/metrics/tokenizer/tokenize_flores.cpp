#include "metrics/tokenizer/tokenize_flores.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "text/tokenizer.h"

namespace attend::metrics {
namespace {

namespace fs = std::filesystem;

struct FloresModel {
  const char* name;
  const char* file;  // as sacreBLEU names it
  const char* address;
};

constexpr FloresModel kFlores101{
    "flores101", "sacrebleu_tokenizer_spm.model",
    "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model"};
constexpr FloresModel kFlores200{"flores200", "flores200sacrebleuspm",
                                 "https://tinyurl.com/flores200sacrebleuspm"};

fs::path sacrebleu_folder() {
  if (const char* folder = std::getenv("SACREBLEU")) return folder;
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "." : home) / ".sacrebleu";
}

text::Tokenizer load(const FloresModel& model) {
  const fs::path file = sacrebleu_folder() / "models" / model.file;
  if (!fs::exists(file)) {
    throw UsageError(fmt::format(
        "BLEU tokenizer {} needs sacreBLEU's SentencePiece model {}; get it from {}, or run "
        "sacrebleu --tokenize {} once",
        model.name, file.string(), model.address, model.name));
  }
  return {file, false};
}

const text::Tokenizer& flores101() {
  static const auto* const kTokenizer = new text::Tokenizer(load(kFlores101));
  return *kTokenizer;
}

const text::Tokenizer& flores200() {
  static const auto* const kTokenizer = new text::Tokenizer(load(kFlores200));
  return *kTokenizer;
}

std::string pieces_of(const text::Tokenizer& tokenizer, std::string_view line) {
  std::string pieces;
  for (const text::Piece& piece : tokenizer.encode_pieces(line)) {
    if (!pieces.empty()) pieces += ' ';
    pieces += piece.text;
  }
  return pieces;
}

}  // namespace

std::string tokenize_flores101(std::string_view line) {
  return pieces_of(flores101(), line);
}

std::string tokenize_flores200(std::string_view line) {
  return pieces_of(flores200(), line);
}

void require_flores101() {
  static_cast<void>(flores101());
}

void require_flores200() {
  static_cast<void>(flores200());
}

}  // namespace attend::metrics
