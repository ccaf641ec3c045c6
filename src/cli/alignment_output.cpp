#include "cli/alignment_output.h"

#include <fmt/format.h>

#include <utility>

#include "align/extract.h"
#include "align/heatmap.h"
#include "core/error.h"

namespace attend::cli {

AlignmentOutput::AlignmentOutput(AlignmentChoices choices)
    : choices_(std::move(choices)), file_(choices_.output) {
  if (choices_.heatmaps.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(choices_.heatmaps, failed);
  if (failed) {
    throw DataError(choices_.heatmaps,
                    fmt::format("cannot make this folder: {}", failed.message()));
  }
}

align::Links AlignmentOutput::add(const ForcedPair& pair) {
  const auto matrix =
      attention_matrix({pair.source, pair.target, pair.forced.attention, pair.forced.heads},
                       choices_.level, choices_.shift);
  align::Links links = align::extract_links(matrix, choices_.threshold);
  if (choices_.jsonl) {
    const align::AttentionRecord record{
        .id = pair.id, .rank = 0, .level = choices_.level, .score = pair.forced.log_prob()};
    file_.write_line(align::attention_json(record, matrix));
  } else {
    file_.write_line(align::format_pharaoh(links));
  }
  if (!choices_.heatmaps.empty()) draw(pair.id, matrix);
  return links;
}

void AlignmentOutput::draw(int64_t id, const align::AttentionMatrix& matrix) const {
  const auto name =
      fmt::format("{:06}.{}", id, align::picture_format_name(choices_.heatmap_format));
  align::draw_heatmap(matrix,
                      {.format = choices_.heatmap_format, .title = fmt::format("Sentence {}", id)},
                      choices_.heatmaps / name);
}

void AlignmentOutput::commit() {
  file_.commit();
}

}  // namespace attend::cli
