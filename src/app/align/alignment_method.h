#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/align/forced_pairs.h"
#include "app/model/loaded_model.h"
#include "decode/attention/attention_maps.h"
#include "decode/attention/saliency.h"

namespace attend::app {

/// A way to tell which source tokens a target token comes from. To add one: a line in the table of
/// alignment_method.cpp.
struct AlignmentMethod {
  std::string_view name;
  bool by_steps;         ///< reads the attention of decoding steps, which `--shift` chooses among
  bool needs_attention;  ///< cannot align with a wiring without attention
  /// What gives the matrices, unless by_steps.
  MatrixSource (*matrices)(const decode::SaliencyOptions& options);
};

/// "attention", "posterior", "saliency".
[[nodiscard]] std::vector<std::string> alignment_method_names();
/// Throws UsageError that lists the choices.
[[nodiscard]] const AlignmentMethod& alignment_method(std::string_view name);

/// Decoding steps after its own whose attention is read for a target token, where the command line
/// does not say: what the model's attention was guided to (`training.guided_alignment.shift`), or
/// 0, which gives the better links with every wiring. 0 for methods that do not read attention.
[[nodiscard]] std::size_t default_shift(const AlignmentMethod& method, const LoadedModel& model);

/// The map that is read where the command line does not say: the head that was guided
/// (`training.guided_alignment.head`); unset: what the model shows.
[[nodiscard]] std::optional<decode::CrossMap> default_map(const AlignmentMethod& method,
                                                          const LoadedModel& model);

}  // namespace attend::app
