#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/terms/glossary.h"
#include "app/translate/output_terms.h"
#include "server/search/served_model.h"

namespace attend::server {

class Fields;

/// Terms that the translations of a request must contain, beyond those of the model's glossary.
struct RequiredTerms {
  std::vector<std::vector<std::string>>
      constraints;                           ///< each translation contains a text of every group
  std::vector<app::GlossaryEntry> glossary;  ///< where a source occurs, one of its targets is
                                             ///< required
  app::GlossaryMode mode = app::GlossaryMode::hard;  ///< of both glossaries

  [[nodiscard]] bool empty() const { return constraints.empty() && glossary.empty(); }
  /// True if the search must find any of them.
  [[nodiscard]] bool needs_search() const {
    return !constraints.empty() || (!glossary.empty() && app::forces(mode));
  }
};

/// Parses "constraints", "glossary" and "glossary_mode". Throws ApiError for other forms and too
/// many terms.
[[nodiscard]] RequiredTerms parse_required_terms(Fields& fields);

/// Passes the terms of a request and of its model's glossary to the model and the search.
class TermsSetter {
 public:
  /// Borrows `terms` and `model`. `forbidden`: words that no translation may contain; null: none.
  /// Throws ApiError for translations of terms that no output can contain, and a mode that the
  /// model cannot follow.
  TermsSetter(const RequiredTerms& terms, const ServedModel& model,
              const std::shared_ptr<const app::ForbiddenWords>& forbidden);

  /// The terms in a text that the model reads with their translations. Where terms share text,
  /// those of the request count.
  [[nodiscard]] std::vector<text::TermMark> marks(std::string_view text) const;

  /// Sets the phrases that translations of a line must contain: the constraints, and the terms of
  /// both glossaries in `text`. Throws ApiError for constraints that no output can contain, and for
  /// too many bytes of constraints that lines with protected parts need cut anew.
  void require(std::string_view text, app::SourceLine& line);

 private:
  using Groups = std::vector<std::vector<decode::Phrase>>;

  [[nodiscard]] Groups constraints_for(const app::SourceLine& line,
                                       const app::PhraseCutter& of_line);

  const RequiredTerms& terms_;
  const ServedModel& model_;
  app::PhraseCutter cutter_;
  std::optional<app::Glossary> glossary_;  // of the request
  std::optional<Groups> constraints_;      // of lines without protected parts
  std::size_t bytes_cut_ = 0;              // of constraints for lines with them
};

}  // namespace attend::server
