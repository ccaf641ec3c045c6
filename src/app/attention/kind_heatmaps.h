#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "align/attention_kinds.h"
#include "draw/picture.h"

namespace attend::app {

/// Where pictures of a sentence go: `folder`/`stem`...
struct PicturePlace {
  std::filesystem::path folder;
  std::string stem;  ///< "000012", with the rank "000012.1"
  draw::PictureFormat format = draw::PictureFormat::kSvg;
};

/// Draws every layer with its heads, and the rollout: 000012.encoder.2.svg,
/// 000012.encoder.rollout.svg; of memories each head, the one that writes first:
/// 000012.encoder_memory.1.1.svg. Throws DataError if a picture cannot be written.
void draw_kinds(const std::vector<align::AttentionKind>& kinds, const PicturePlace& place);

/// Whether the name of a picture without its format ("000012.encoder.2") is that of one of a
/// sentence.
[[nodiscard]] bool is_picture_stem(const std::string& stem);

}  // namespace attend::app
