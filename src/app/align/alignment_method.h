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

/// The settings of a method.
struct MatrixChoice {
  decode::SaliencyOptions saliency;
  std::optional<decode::CrossMap> map;  ///< contributions and alti; unset: all heads of the shown
                                        ///< layer
};

/// A method to align target tokens with source tokens. To add one, add a line to the table in
/// alignment_method.cpp.
struct AlignmentMethod {
  std::string_view name;
  bool by_steps;         ///< one row for each decoding step, which `--shift` selects
  bool by_heads;         ///< has a matrix for each head, which `--head` selects
  bool needs_attention;  ///< needs a wiring with attention
  /// Throws UsageError, which begins with `subject`, if the model does not fit; null: attention is
  /// enough.
  void (*require)(const LoadedModel& model, const std::string& subject);
  /// Makes the function that computes the matrices; returns an empty function for the model's own
  /// attention.
  MatrixSource (*matrices)(const MatrixChoice& choice);
};

/// "attention", "posterior", "saliency", "contributions", "alti".
[[nodiscard]] std::vector<std::string> alignment_method_names();
/// The method called `name`. Throws UsageError, listing the choices, for an unknown name.
[[nodiscard]] const AlignmentMethod& alignment_method(std::string_view name);

/// Throws UsageError, naming `option`, if the model lacks what the method needs besides attention.
void require_fit(const AlignmentMethod& method, const LoadedModel& model,
                 const std::string& option);

/// The default of `--shift`: a target token's attention is read this many decoding steps after the
/// step that writes the token. It is `training.guided_alignment.shift` after guided training;
/// otherwise 0, which gives better links than 1 with every wiring. 0 for methods that do not read
/// attention.
[[nodiscard]] std::size_t default_shift(const AlignmentMethod& method, const LoadedModel& model);

/// The default of `--head`: the head of guided training (`training.guided_alignment.head`), or
/// unset, which selects the map that the model shows.
[[nodiscard]] std::optional<decode::CrossMap> default_map(const AlignmentMethod& method,
                                                          const LoadedModel& model);

/// Options of forced decoding that keep the attention by this method: its matrices, or the map of
/// the model's own attention.
[[nodiscard]] ForceOptions force_options(const AlignmentMethod& method, const MatrixChoice& choice);

/// How links are read from the attention of a search, with these defaults.
[[nodiscard]] LinkChoice attention_links(const LoadedModel& model);

}  // namespace attend::app
