#pragma once
// What the config schema must know of the registry, without LibTorch.
#include <string>
#include <vector>

namespace attend::model {

struct ModelOptions;

/// Names that `model.encoder.type` and `model.decoder.type` accept.
[[nodiscard]] std::vector<std::string> encoder_names();
[[nodiscard]] std::vector<std::string> decoder_names();

/// Whether the decoder that `options` describe has attention.
[[nodiscard]] bool attends(const ModelOptions& options);

}  // namespace attend::model
