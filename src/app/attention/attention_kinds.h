#pragma once
#include <string>

#include "app/model/loaded_model.h"
#include "decode/attention/attention_maps.h"

namespace attend::app {

/// The kinds of attention that the model has.
[[nodiscard]] decode::AttentionKinds kinds_of(const LoadedModel& model);

/// The kinds in `list`: "encoder,cross" (names of align::attention_kind_names()), or "all" for all
/// kinds of the model. Throws UsageError for another name and for a kind that the model lacks.
[[nodiscard]] decode::AttentionKinds asked_kinds(const std::string& list, const LoadedModel& model);
/// Lists those of `kinds` that the model has, in the form that asked_kinds() reads; empty if none.
[[nodiscard]] std::string shared_kinds(const decode::AttentionKinds& kinds,
                                       const LoadedModel& model);

/// Throws UsageError, naming `option`, if the model has no attention to the source; the message
/// lists the kinds that it has.
void require_shown_attention(const LoadedModel& model, const std::string& option);

/// Throws UsageError unless the model's attention to the source has the layer and head of `map`.
void check_cross_map(const decode::CrossMap& map, const LoadedModel& model);

}  // namespace attend::app
