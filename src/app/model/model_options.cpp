#include "app/model/model_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <variant>

#include "core/error.h"

namespace attend::app {
namespace {

constexpr const char* kBlank = "\u2581";  // SentencePiece's space, which may be a piece by itself

text::TokenId separator_of(const std::string& separator, const text::Tokenizer& tokenizer) {
  std::vector<text::TokenId> ids;
  std::vector<std::string> texts;
  for (const text::Piece& piece : tokenizer.encode_pieces(separator)) {
    if (piece.text == kBlank) continue;
    ids.push_back(piece.id);
    texts.push_back(piece.text);
  }
  if (ids.size() == 1 && ids.front() != text::kUnk) return ids.front();
  throw ConfigError(fmt::format(
      "data.segments.separator: {} is not a single piece of the source vocabulary{}; choose one "
      "from the training text, or set tokenizer.type: word",
      separator, ids.size() > 1 ? fmt::format(", but {}", fmt::join(texts, " ")) : std::string()));
}

}  // namespace

model::ModelOptions model_options(const Experiment& experiment, const text::Tokenizer& source) {
  model::ModelOptions options = experiment.model;
  options.sources.count = static_cast<int64_t>(data::count_sources(experiment.data));
  const std::string& separator = experiment.data.segments.separator;
  if (separator.empty()) return options;
  std::visit(
      [&]<class Family>(Family& encoder) {
        if constexpr (requires { encoder.separator; }) {
          encoder.separator = separator_of(separator, source);
          encoder.blank = source.find(kBlank).value_or(-1);
        }
      },
      options.encoder);
  return options;
}

}  // namespace attend::app
