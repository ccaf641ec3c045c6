#pragma once
#include <string>

#include "app/model/loaded_model.h"
#include "decode/attention/attention_maps.h"

namespace attend::app {

/// The kinds of attention that the model has.
[[nodiscard]] decode::AttentionKinds kinds_of(const LoadedModel& model);

/// Those that `list` names: "encoder,cross" (of align::attention_kind_names()), or "all" for those
/// that the model has. Throws UsageError for any other name, and where the model does not have what
/// is asked for.
[[nodiscard]] decode::AttentionKinds asked_kinds(const std::string& list, const LoadedModel& model);
/// The list of those of `kinds` that the model has; empty: none.
[[nodiscard]] std::string shared_kinds(const decode::AttentionKinds& kinds,
                                       const LoadedModel& model);

/// Throws UsageError, naming `option`, if the model has no attention to the source to draw; says
/// which kinds it has in its place.
void require_shown_attention(const LoadedModel& model, const std::string& option);

/// Throws UsageError unless the model's attention to the source has that layer and head.
void check_cross_map(const decode::CrossMap& map, const LoadedModel& model);

}  // namespace attend::app
