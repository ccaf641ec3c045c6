#pragma once
#include <memory>
#include <string_view>

#include "config/schema.h"
#include "model/recurrent/options.h"
#include "text/vocabulary.h"

namespace attend::model {

/// The config section `model.encoder` of type hierarchical.
struct HierarchicalEncoderOptions : ReadingLayers {
  static constexpr std::string_view kType = "hierarchical";

  // Not config keys, but set from data.segments: the piece between segments, and the piece that is
  // a lone blank. Negative: none.
  text::TokenId separator = -1;
  text::TokenId blank = -1;
};

void describe(config::Schema<HierarchicalEncoderOptions>& schema);

[[nodiscard]] std::shared_ptr<Encoder> make_encoder(const HierarchicalEncoderOptions& encoder,
                                                    const ModelOptions& model);

}  // namespace attend::model
