#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/align/forced_pairs.h"
#include "app/model/loaded_model.h"
#include "app/translate/word_links.h"
#include "decode/attention/attention_maps.h"
#include "decode/attention/saliency.h"

namespace attend::app {

/// A method to align target tokens with source tokens. To add one, add a line to the table in
/// alignment_method.cpp.
struct AlignmentMethod {
  std::string_view name;
  bool by_steps;         ///< reads the attention of decoding steps, which `--shift` selects
  bool needs_attention;  ///< needs a wiring with attention
  /// Makes the function that computes the matrices; returns an empty function if by_steps.
  MatrixSource (*matrices)(const decode::SaliencyOptions& options);
};

/// "attention", "posterior", "saliency".
[[nodiscard]] std::vector<std::string> alignment_method_names();
/// The method called `name`. Throws UsageError, listing the choices, for an unknown name.
[[nodiscard]] const AlignmentMethod& alignment_method(std::string_view name);

/// The default of `--shift`: a target token's attention is read this many decoding steps after the
/// step that writes the token. It is `training.guided_alignment.shift` after guided training;
/// otherwise 0, which gives better links than 1 with every wiring. 0 for methods that do not read
/// attention.
[[nodiscard]] std::size_t default_shift(const AlignmentMethod& method, const LoadedModel& model);

/// The default of `--head`: the head of guided training (`training.guided_alignment.head`), or
/// unset, which selects the map that the model shows.
[[nodiscard]] std::optional<decode::CrossMap> default_map(const AlignmentMethod& method,
                                                          const LoadedModel& model);

/// How links are read from the attention of a search, with these defaults.
[[nodiscard]] LinkChoice attention_links(const LoadedModel& model);

}  // namespace attend::app
