#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "app/translate/glossary.h"
#include "server/search/served_model.h"

namespace attend::server {

class Fields;

/// Terms that the translations of a request must contain, beyond those of the model's glossary.
struct RequiredTerms {
  std::vector<std::vector<std::string>>
      constraints;                           ///< each translation contains a text of every group
  std::vector<app::GlossaryEntry> glossary;  ///< where a source occurs, one of its targets is
                                             ///< required

  [[nodiscard]] bool empty() const { return constraints.empty() && glossary.empty(); }
};

/// Parses "constraints" and "glossary". Throws ApiError for other forms and too many terms.
[[nodiscard]] RequiredTerms parse_required_terms(Fields& fields);

/// Sets the phrases that each line must contain: the constraints, and the terms of the request's
/// and the model's glossary. `texts` are those of `lines`. Throws ApiError for terms that no
/// translation can contain.
void require_terms(const RequiredTerms& terms, const ServedModel& model,
                   const std::shared_ptr<const app::ForbiddenWords>& forbidden,
                   const std::vector<std::string>& texts, std::vector<app::SourceLine>& lines);

}  // namespace attend::server
