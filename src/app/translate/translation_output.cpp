#include "app/translate/translation_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "align/extract.h"
#include "align/links.h"
#include "app/attention/kind_heatmaps.h"
#include "app/attention/sentence_attention.h"
#include "app/translate/word_scores.h"
#include "core/error.h"
#include "core/log.h"
#include "core/option_name.h"
#include "core/output_place.h"
#include "draw/heatmap.h"

namespace attend::app {

namespace {

SentenceAttention attention_of(const TranslatedLine& line, std::size_t rank) {
  const auto& translation = line.translations[rank];
  return {line.source.line, translation.line, translation.attention, translation.heads};
}

bool has_maps(const decode::AttentionMaps& maps) {
  return std::any_of(
      decode::kKindPlaces.begin(), decode::kKindPlaces.end(),
      [&](const decode::KindPlaces& kind) { return !(maps.*kind.maps).layers.empty(); });
}

// A line that was not translated has no pieces and nothing to show.
align::AttentionMatrix matrix_at(const TranslatedLine& line, std::size_t rank, align::Level level,
                                 std::size_t shift = 0) {
  const auto& translation = line.translations[rank];
  const bool shown = translation.attention.defined() || !translation.line.pieces.empty() ||
                     has_maps(translation.maps);
  if (!shown) return {};
  return attention_matrix(attention_of(line, rank), level, shift);
}

std::vector<align::AttentionKind> kinds_at(const TranslatedLine& line, std::size_t rank,
                                           align::Level level) {
  const Translation& translation = line.translations[rank];
  return attention_kinds({line.source.line, translation.line, translation.maps}, level);
}

/// A file to write, and the option that names it.
struct GivenFile {
  const char* option;
  std::filesystem::path file;
};

std::vector<GivenFile> given_files(const OutputChoices& choices) {
  std::vector<GivenFile> files = {{"output", choices.text.empty() ? "-" : choices.text}};
  if (!choices.attention.empty()) files.push_back({"attention", choices.attention});
  if (!choices.alignments.empty()) files.push_back({"alignments", choices.alignments});
  if (!choices.word_scores.empty()) files.push_back({"word-scores", choices.word_scores});
  return files;
}

}  // namespace

void check(const OutputChoices& choices) {
  std::vector<std::filesystem::path> files;
  for (const auto& [option, file] : given_files(choices)) {
    check_no_heatmap(file, option, choices.heatmaps, choices.heatmap_format);
    const auto is_same = [&file = file](const auto& other) { return is_same_output(file, other); };
    if (std::any_of(files.begin(), files.end(), is_same)) {
      throw UsageError(fmt::format("two of {}, {}, {} and {} write to {}; give each its own file",
                                   option_name("output"), option_name("attention"),
                                   option_name("alignments"), option_name("word-scores"),
                                   file == "-" ? "standard output" : file.string()));
    }
    files.push_back(file);
  }
}

TranslationOutput::TranslationOutput(OutputChoices choices)
    : choices_(std::move(choices)), text_(choices_.text) {
  if (!choices_.word_scores.empty()) word_scores_.emplace(choices_.word_scores);
  if (!choices_.attention.empty()) attention_.emplace(choices_.attention);
  if (!choices_.alignments.empty()) alignments_.emplace(choices_.alignments);
  if (choices_.heatmaps.empty()) return;
  make_heatmap_folder(choices_.heatmaps);
  if (choices_.heatmap_format) return;
  page_.emplace(heatmap_page(choices_.heatmaps),
                draw::AttentionPageOptions{
                    .title = choices_.page_title, .models = {}, .level = choices_.level});
}

std::string translation_text(const TranslatedLine& line, bool moses) {
  std::string text;
  for (const Translation& translation : line.translations) {
    if (moses) {
      text += fmt::format("{} ||| {} ||| {:.6f}\n", line.source.number - 1, translation.line.text,
                          translation.score);
    } else {
      text += translation.line.text + "\n";
    }
  }
  return text;
}

void TranslationOutput::add(const TranslatedLine& line) {
  text_.write(translation_text(line, choices_.moses));
  for (std::size_t rank = 0; rank < line.translations.size(); ++rank) {
    if (word_scores_) add_word_scores(line, rank);
    add_attention(line, rank);
  }
}

void TranslationOutput::add_word_scores(const TranslatedLine& line, std::size_t rank) {
  const WordScores scores = word_scores(line.translations[rank]);
  word_scores_->write_line(word_scores_json(line.source.number - 1, static_cast<int64_t>(rank),
                                            scores, choices_.review_below));
  to_review_ += rank == 0 && needs_review(scores, choices_.review_below) ? 1 : 0;
}

void TranslationOutput::add_attention(const TranslatedLine& line, std::size_t rank) {
  const bool pictures = !choices_.heatmaps.empty() && !page_;
  if (attention_ || pictures) {
    const auto matrix = matrix_at(line, rank, choices_.level);
    if (attention_) {
      attention_->write_line(align::attention_json({.id = line.source.number - 1,
                                                    .rank = static_cast<int64_t>(rank),
                                                    .level = choices_.level,
                                                    .score = line.translations[rank].score,
                                                    .separator = choices_.separator},
                                                   matrix, kinds_at(line, rank, choices_.level)));
    }
    if (pictures) draw(line, rank, matrix);
  }
  if (page_) add_to_page(line, rank);
  if (!alignments_) return;
  const auto words = align::of_head(
      matrix_at(line, rank, align::Level::kWord, choices_.links.shift), choices_.links.head);
  alignments_->write_line(align::format_pharaoh(align::extract_links(words)));
}

void TranslationOutput::draw(const TranslatedLine& line, std::size_t rank,
                             const align::AttentionMatrix& matrix) {
  const auto id = line.source.number - 1;
  const auto format = *choices_.heatmap_format;
  const auto stem =
      line.translations.size() > 1 ? fmt::format("{:06}.{}", id, rank) : fmt::format("{:06}", id);
  const auto name = fmt::format("{}.{}", stem, draw::picture_format_name(format));
  if (matrix.has_weights())
    draw::draw_heatmap(matrix, {.format = format, .title = ""}, choices_.heatmaps / name);
  draw_kinds(kinds_at(line, rank, choices_.level), {choices_.heatmaps, stem, format});
}

void TranslationOutput::add_to_page(const TranslatedLine& line, std::size_t rank) {
  draw::PageReading reading =
      page_reading(attention_of(line, rank), 0, line.translations[rank].maps);
  reading.score = line.translations[rank].log_prob;
  page_->add({.id = line.source.number - 1,
              .rank = static_cast<int64_t>(rank),
              .readings = {std::move(reading)},
              .gold = {}});
}

void TranslationOutput::flush() {
  text_.flush();
  if (word_scores_) word_scores_->flush();
  if (attention_) attention_->flush();
  if (alignments_) alignments_->flush();
}

void TranslationOutput::commit() {
  text_.commit();
  if (word_scores_) word_scores_->commit();
  if (choices_.review_below)
    log::info("{} translations have a confidence below {}", to_review_, *choices_.review_below);
  if (attention_) attention_->commit();
  if (alignments_) alignments_->commit();
  if (page_) page_->commit();
}

}  // namespace attend::app
