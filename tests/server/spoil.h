#pragma once
#include <ATen/core/grad_mode.h>

#include <limits>
#include <string>

#include "app/model/loaded_model.h"

namespace attend::server::test {

/// Makes the model's embedding of a source word NaN. Call it before the first translation.
inline void spoil(const app::LoadedModel& loaded, const std::string& word) {
  const at::NoGradGuard no_gradients;
  loaded.model
      ->named_parameters()["source_embedding.weight"][loaded.source->encode_pieces(word).front().id]
      .fill_(std::numeric_limits<float>::quiet_NaN());
}

}  // namespace attend::server::test
