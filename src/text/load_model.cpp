#include "text/load_model.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <system_error>

#include "core/error.h"
#include "core/excerpt.h"
#include "core/file.h"
#include "core/utf8.h"
#include "text/model_check.h"

namespace attend::text {
namespace {

/// The bytes of a file that can be a model.
std::string read_model(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::character)
    throw ModelFileError(path, "is a pipe or a device; expected a SentencePiece model");
  constexpr uintmax_t kMostBytes = uintmax_t{1} << 28;  // a million long pieces take a tenth of it
  if (const auto size = std::filesystem::file_size(path, ignored); !ignored && size > kMostBytes)
    throw ModelFileError(path, "is larger than 256 MiB, so it is not a SentencePiece model");
  try {
    return read_file(path);
  } catch (const DataError& error) {
    throw ModelFileError(path,
                         fmt::format("cannot read the SentencePiece model: {}", error.what()));
  }
}

/// Checks the bytes first, because SentencePiece trusts them.
std::unique_ptr<SentencePieceModel> load_checked_bytes(const std::filesystem::path& path) {
  const std::string bytes = read_model(path);
  std::unique_ptr<SentencePieceModel> model;
  std::string fault;
  try {
    check_model(bytes);
    model = sentencepiece().load(bytes);
  } catch (const ModelFault& found) {
    fault = fmt::format(" ({})", found.what);
  }
  if (model) return model;
  throw ModelFileError(
      path,
      fmt::format("is not a SentencePiece model, or a damaged one{}; expected the .model file of "
                  "spm_train",
                  fault));
}

/// The rest of the program requires pieces to be well-formed UTF-8.
void check_pieces(const SentencePieceModel& model, const std::filesystem::path& path) {
  for (int id = 0; id < model.size(); ++id) {
    const std::string piece = model.piece(id);
    if (utf8::is_valid(piece)) continue;
    throw ModelFileError(path, fmt::format("piece {} of this SentencePiece model (\"{}\") is not "
                                           "well-formed UTF-8; the model may be damaged, train it "
                                           "again",
                                           id, excerpt(piece)));
  }
}

}  // namespace

std::unique_ptr<SentencePieceModel> load_model(const std::filesystem::path& path) {
  std::unique_ptr<SentencePieceModel> model = load_checked_bytes(path);
  check_pieces(*model, path);
  return model;
}

}  // namespace attend::text
