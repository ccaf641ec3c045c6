#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "align/attention_kinds.h"
#include "draw/picture.h"

namespace attend::app {

/// Where to write the pictures of a sentence: to files in `folder` whose names begin with `stem`.
struct PicturePlace {
  std::filesystem::path folder;
  std::string stem;  ///< "000012", or with a rank "000012.1"
  draw::PictureFormat format = draw::PictureFormat::kSvg;
};

/// Draws every layer with its heads, and the rollout: 000012.encoder.2.svg,
/// 000012.encoder.rollout.svg. Memories get a picture per head, the write head first:
/// 000012.encoder_memory.1.1.svg. Throws DataError if a picture cannot be written.
void draw_kinds(const std::vector<align::AttentionKind>& kinds, const PicturePlace& place);

/// Returns true if `stem` ("000012.encoder.2"), a file name without its extension, is the name of a
/// sentence's picture.
[[nodiscard]] bool is_picture_stem(const std::string& stem);

}  // namespace attend::app
