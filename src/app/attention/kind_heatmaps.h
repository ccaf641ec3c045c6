#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "align/attention_kinds.h"
#include "draw/picture.h"

namespace attend::app {

/// The place of a sentence's pictures: `folder`/`stem`...
struct PicturePlace {
  std::filesystem::path folder;
  std::string stem;  ///< "000012", with the rank "000012.1"
  draw::PictureFormat format = draw::PictureFormat::kSvg;
};

/// Draws every layer with its heads, and the rollout: 000012.encoder.2.svg,
/// 000012.encoder.rollout.svg. Memories get a picture per head, the write head first:
/// 000012.encoder_memory.1.1.svg. Throws DataError if a picture cannot be written.
void draw_kinds(const std::vector<align::AttentionKind>& kinds, const PicturePlace& place);

/// Returns true if `stem`, a file name without its format ("000012.encoder.2"), is that of a
/// sentence's picture.
[[nodiscard]] bool is_picture_stem(const std::string& stem);

}  // namespace attend::app
