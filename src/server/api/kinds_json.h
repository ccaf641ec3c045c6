#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "align/attention_kinds.h"
#include "app/model/loaded_model.h"
#include "decode/attention/attention_maps.h"

namespace attend::server {

/// Those that a request names (align::attention_kind_names(), or "all" that there are). Throws
/// ApiError for other names and for what the model does not have.
[[nodiscard]] decode::AttentionKinds parse_kinds(const std::vector<std::string>& names,
                                                 const app::LoadedModel& model);

/// Adds "kinds" and, with "decoder" among them, "target_input" to an attention, in the form of
/// align::attention_json().
void add_kinds(const std::vector<align::AttentionKind>& kinds, nlohmann::json& attention);

/// {"encoder": [heads of each layer], ...} of the kinds that parse_kinds() takes.
[[nodiscard]] nlohmann::json layer_heads_json(const app::LoadedModel& model);

}  // namespace attend::server
