#include "app/align/alignment_output.h"

#include <fmt/format.h>

#include <utility>

#include "app/attention/kind_heatmaps.h"
#include "app/lines/source_line.h"
#include "draw/heatmap.h"

namespace attend::app {

namespace {

draw::PageReading reading_of(const PairView& view, align::Links links) {
  draw::PageReading reading = view.model.page_reading(view.pair);
  reading.links = std::move(links);
  return reading;
}

align::Links word_links(const PairView& view) {
  return view.model.links(view.pair, align::Level::kWord);
}

}  // namespace

AlignmentOutput::AlignmentOutput(AlignmentChoices choices, const std::vector<std::string>& models)
    : choices_(std::move(choices)), file_(choices_.output) {
  if (!choices_.heatmaps.empty()) make_heatmap_folder(choices_.heatmaps);
  if (!choices_.page()) return;
  page_.emplace(heatmap_page(choices_.heatmaps),
                draw::AttentionPageOptions{
                    .title = choices_.page_title, .models = models, .level = choices_.level});
}

void AlignmentOutput::add(const AlignedPair& pair) {
  const bool picture = !choices_.heatmaps.empty() && !choices_.page();
  if (choices_.jsonl || picture) {
    const auto matrix = pair.view.model.matrix(pair.view.pair, choices_.level);
    if (choices_.jsonl) {
      const align::AttentionRecord record{
          .id = pair.view.pair.id,
          .rank = 0,
          .level = choices_.level,
          .score = pair.view.pair.forced.log_prob(),
          .separator = token_between(pair.view.model.loaded(), choices_.level)};
      file_.write_line(align::attention_json(
          record, matrix, pair.view.model.kinds(pair.view.pair, choices_.level)));
    }
    if (picture) draw(pair, matrix);
  }
  if (!choices_.jsonl) file_.write_line(align::format_pharaoh(pair.links));
  if (page_) add_to_page(pair);
}

void AlignmentOutput::draw(const AlignedPair& pair, const align::AttentionMatrix& matrix) const {
  const int64_t id = pair.view.pair.id;
  const draw::PictureFormat format = *choices_.heatmap_format;
  const auto stem = fmt::format("{:06}", id);
  const auto name = fmt::format("{}.{}", stem, draw::picture_format_name(format));
  draw::draw_heatmap(matrix,
                     {.format = format, .title = fmt::format("Sentence {}", id), .gold = pair.gold},
                     choices_.heatmaps / name);
  draw_kinds(pair.view.model.kinds(pair.view.pair, choices_.level),
             {choices_.heatmaps, stem, format});
}

// The page always marks word links.
void AlignmentOutput::add_to_page(const AlignedPair& pair) {
  const bool words = choices_.level == align::Level::kWord;
  draw::PageSentence sentence{
      .id = pair.view.pair.id, .rank = 0, .readings = {}, .gold = pair.gold};
  sentence.readings.push_back(reading_of(pair.view, words ? pair.links : word_links(pair.view)));
  if (pair.compared) {
    sentence.readings.push_back(reading_of(*pair.compared, word_links(*pair.compared)));
  }
  page_->add(sentence);
}

void AlignmentOutput::commit() {
  file_.commit();
  if (page_) page_->commit();
}

}  // namespace attend::app
