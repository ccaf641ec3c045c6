#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "align/links.h"

namespace attend::align {

/// How to combine the links of two directions (Koehn, Och & Marcu 2003, "Statistical
/// Phrase-Based Translation"; Koehn et al. 2005, "Edinburgh System Description for the 2005 IWSLT
/// Speech Translation Evaluation").
enum class Symmetrization {
  kIntersect,  ///< links of both directions
  kUnion,      ///< links of either direction
  /// The intersection, grown by links of the union that have an unlinked word and are adjacent or
  /// diagonal to a link.
  kGrowDiag,
  kGrowDiagFinal,     ///< then adds links with at least one unlinked word
  kGrowDiagFinalAnd,  ///< then adds links with two unlinked words
};

/// Parses "intersect", "union", "grow-diag", "grow-diag-final" or "grow-diag-final-and". Throws
/// UsageError that lists the choices.
[[nodiscard]] Symmetrization parse_symmetrization(std::string_view name);
[[nodiscard]] std::vector<std::string> symmetrization_names();

/// Combines the links of a source-to-target model (`forward`, usually one source word per target
/// word) and of a target-to-source model (`reverse`, also with the source position first). The
/// result depends on the order in which links are added, which follows Moses' symal. Each round
/// visits the links by target, then source position. For each link it tries the neighbours at the
/// previous target, previous source, next target and next source, then the diagonal ones. An added
/// link counts at once and is visited in the same round if it comes later in the order. The final
/// step takes forward links before reverse links.
[[nodiscard]] Links symmetrize(const Links& forward, const Links& reverse, Symmetrization how);

}  // namespace attend::align
