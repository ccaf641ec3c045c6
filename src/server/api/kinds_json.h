#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "align/attention_kinds.h"
#include "app/model/loaded_model.h"
#include "decode/attention/attention_maps.h"

namespace attend::server {

/// Parses the kinds of a request: align::attention_kind_names(), or "all" for all that the model
/// has. Throws ApiError for other names and for kinds that the model does not have, UsageError if
/// it has no attention.
[[nodiscard]] decode::AttentionKinds parse_kinds(const std::vector<std::string>& names,
                                                 const app::LoadedModel& model);

/// Adds "kinds" to `attention`, which has the form of align::attention_json(). Also adds
/// "target_input" if "decoder" is one of the kinds.
void add_kinds(const std::vector<align::AttentionKind>& kinds, nlohmann::json& attention);

/// {"encoder": [number of heads of each layer], ...} with the kinds that parse_kinds() accepts.
[[nodiscard]] nlohmann::json layer_heads_json(const app::LoadedModel& model);

}  // namespace attend::server
