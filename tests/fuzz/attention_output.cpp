// Attention written as JSON lines and as a page: any names and weights must be written unchanged.
// attend does not read such files.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "align/attention_json.h"
#include "align/attention_matrix.h"
#include "align/word_merge.h"
#include "core/utf8.h"
#include "draw/page_weights.h"
#include "tests/fuzz/support.h"

namespace {

namespace align = attend::align;
namespace draw = attend::draw;
namespace utf8 = attend::utf8;
using attend::fuzz::require;

std::string take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string line = utf8::replace_invalid(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Each character becomes a piece.
std::vector<utf8::Span> pieces_of(const std::string& line) {
  constexpr std::size_t kMost = 40;
  std::vector<utf8::Span> spans;
  for (std::size_t begin = 0; begin < line.size() && spans.size() < kMost;) {
    const std::size_t end =
        begin + utf8::encode(utf8::decode(line.substr(begin)).substr(0, 1)).size();
    spans.push_back({begin, end});
    begin = end;
  }
  return spans;
}

std::vector<std::string> names_of(const std::string& line, const std::vector<utf8::Span>& spans) {
  std::vector<std::string> names;
  for (const auto& span : spans) names.push_back(line.substr(span.begin, span.end - span.begin));
  names.emplace_back("</s>");
  return names;
}

align::WeightTable table_of(std::string_view bytes, std::size_t rows, std::size_t columns) {
  align::WeightTable table(rows, columns);
  for (std::size_t i = 0; i < rows * columns && bytes.size() >= sizeof(float); ++i) {
    std::memcpy(&table(i / columns, i % columns), bytes.data(), sizeof(float));
    bytes.remove_prefix(sizeof(float));
  }
  return table;
}

void check_json(const align::AttentionMatrix& matrix, align::Level level) {
  const std::string line =
      align::attention_json({.id = 1, .rank = 0, .level = level, .score = {}}, matrix);
  require(line.find('\n') == std::string::npos, "an object is one line");
  const nlohmann::json json = nlohmann::json::parse(line);
  require(json["source"] == matrix.source && json["target"] == matrix.target, "names are kept");
  for (std::size_t t = 0; t < matrix.weights.rows(); ++t) {
    for (std::size_t s = 0; s < matrix.weights.columns(); ++s) {
      const float weight = matrix.weights(t, s);
      const auto& written = json["attention"][t][s];
      require(std::isfinite(weight) ? written.get<float>() == weight : written.is_null(),
              "weights are kept, and null stands for those that are no numbers");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  std::string_view rest = attend::fuzz::text_of(data, size);
  const std::string source = take_line(rest);
  const std::string target = take_line(rest);
  const auto source_pieces = pieces_of(source);
  const auto target_pieces = pieces_of(target);
  align::AttentionMatrix matrix{.target = names_of(target, target_pieces),
                                .source = names_of(source, source_pieces),
                                .target_end = true,
                                .source_end = true,
                                .weights = {},
                                .heads = {}};
  matrix.weights = table_of(rest, matrix.target.size(), matrix.source.size());
  check_json(matrix, align::Level::kPiece);
  require(!draw::pack_weights(matrix.weights).empty(), "weights can be packed");
  const auto source_words = align::group_by_words(source, source_pieces, true, "</s>");
  const auto target_words = align::group_by_words(target, target_pieces, true, "</s>");
  check_json(align::merge_to_words(matrix, target_words, source_words), align::Level::kWord);
  return 0;
}
