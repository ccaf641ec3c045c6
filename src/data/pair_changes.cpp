#include "data/pair_changes.h"

#include <utility>

#include "data/pair_terms.h"

namespace attend::data {

void PairChanges::apply(std::string& source, std::string& target, const PairLinks& links,
                        int64_t line) const {
  const bool has_links = links.guide != nullptr || links.terms != nullptr;
  const auto parts = has_links ? ProtectedParts::kInsideWords : ProtectedParts::kAll;
  if (protection_.has(line)) protection_.protect(source, target, parts);
  if (links.terms == nullptr) return;
  MarkedSource marked = with_terms(source, target, *links.terms, line);
  if (links.guide != nullptr) *links.guide = in_marked(*links.guide, marked);
  source = std::move(marked.text);
}

}  // namespace attend::data
