#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "align/attention_json.h"
#include "align/links.h"
#include "align/picture.h"
#include "cli/forced_pairs.h"
#include "core/file.h"

namespace attend::cli {

/// How `attend align` reads a model's attention, and what it writes.
struct AlignmentChoices {
  std::filesystem::path output = "-";
  bool jsonl = false;  ///< attention records; else Pharaoh links
  align::Level level = align::Level::kWord;
  std::optional<float> threshold;  ///< of link extraction; unset: the largest weight
  std::size_t shift = 0;           ///< decoding steps after its own whose weights a token has
  std::filesystem::path heatmaps;  ///< folder; empty: none
  align::PictureFormat heatmap_format = align::PictureFormat::kSvg;
};

/// Writes pairs in the form asked for. Heatmaps are named after the pair's id: 000012.svg.
class AlignmentOutput {
 public:
  /// Throws DataError if something cannot be written.
  explicit AlignmentOutput(AlignmentChoices choices);

  /// Writes one pair and returns its links.
  align::Links add(const ForcedPair& pair);
  /// Puts the file in place.
  void commit();

 private:
  void draw(int64_t id, const align::AttentionMatrix& matrix) const;

  AlignmentChoices choices_;
  OutputFile file_;
};

}  // namespace attend::cli
