#pragma once
#include <cstdint>
#include <exception>
#include <vector>

#include "text/vocabulary.h"

namespace attend::decode {

class Beams;
class Trace;

/// A hypothesis that has not ended.
struct LiveHypothesis {
  int64_t sentence = 0;               ///< in the order of the batch
  std::vector<text::TokenId> tokens;  ///< tokens so far
  double log_prob = 0.0;              ///< nats, of these tokens
};

/// The state of a search after a step. Valid only during the call that receives it.
class SearchStep {
 public:
  /// Borrows both.
  SearchStep(const Beams& beams, const Trace& trace) : beams_(beams), trace_(trace) {}

  /// Number of tokens of each live hypothesis, its prefix included.
  [[nodiscard]] int64_t position() const;
  /// The live hypotheses in the order of the batch, the most probable of a sentence first; none for
  /// finished sentences. Computed on each call.
  [[nodiscard]] std::vector<LiveHypothesis> live() const;

 private:
  const Beams& beams_;
  const Trace& trace_;
};

/// Observes a search and can cancel it. Called by the searching thread.
class SearchControl {
 public:
  virtual ~SearchControl() = default;
  /// Called before every step; true makes search() throw SearchCancelled.
  [[nodiscard]] virtual bool is_cancelled() { return false; }
  /// Called after every step.
  virtual void on_step(const SearchStep& /*step*/) {}
};

/// Thrown when a SearchControl cancels a search.
class SearchCancelled final : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the search was cancelled"; }
};

}  // namespace attend::decode
