#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "align/links.h"

namespace attend::align {

/// How the links of two directions become one set (Koehn, Och & Marcu 2003, "Statistical
/// Phrase-Based Translation"; Koehn et al. 2005, "Edinburgh System Description for the 2005 IWSLT
/// Speech Translation Evaluation").
enum class Symmetrization {
  kIntersect,      ///< links of both directions
  kUnion,          ///< links of either
  kGrowDiag,       ///< the intersection, grown by links of the union that touch a link, diagonals
                   ///< too, and have a word without a link
  kGrowDiagFinal,  ///< then further links of which at least one word has none
  kGrowDiagFinalAnd,  ///< then further links of which neither word has one
};

/// "intersect", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and". Throws UsageError
/// that lists the choices.
[[nodiscard]] Symmetrization parse_symmetrization(std::string_view name);
[[nodiscard]] std::vector<std::string> symmetrization_names();

/// Joins the links of a model from source to target (`forward`: in the usual case one source word
/// for each target word) and of one from target to source (`reverse`, with the source position
/// first too). The result depends on the order in which links are added, which is that of Moses'
/// symal: each link in turn, by target, then source position, tries its neighbours at target - 1,
/// source - 1, target + 1, source + 1, then the diagonal ones; what was added counts at once, and
/// has its turn in the same round if it comes later in that order; the final step takes forward
/// links before reverse ones.
[[nodiscard]] Links symmetrize(const Links& forward, const Links& reverse, Symmetrization how);

}  // namespace attend::align
