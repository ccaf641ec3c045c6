#pragma once
#include <cstdint>
#include <exception>
#include <vector>

#include "text/vocabulary.h"

namespace attend::decode {

class Beams;
class Trace;

/// A hypothesis that may still go on.
struct LiveHypothesis {
  int64_t sentence = 0;               ///< in the order of the batch
  std::vector<text::TokenId> tokens;  ///< so far
  double log_prob = 0.0;              ///< of these tokens; nats
};

/// Where a search stands. To be read during the call that gives it.
class SearchStep {
 public:
  /// Borrows both.
  SearchStep(const Beams& beams, const Trace& trace) : beams_(beams), trace_(trace) {}

  /// Tokens that each live hypothesis has, those of its prefix included.
  [[nodiscard]] int64_t position() const;
  /// In the order of the batch, the most probable of a sentence first; none of sentences that are
  /// done. Read off when asked for.
  [[nodiscard]] std::vector<LiveHypothesis> live() const;

 private:
  const Beams& beams_;
  const Trace& trace_;
};

/// Follows a search and can end it. Called by the thread that searches.
class SearchControl {
 public:
  virtual ~SearchControl() = default;
  /// Asked before every step; true: search() throws SearchCancelled.
  [[nodiscard]] virtual bool is_cancelled() { return false; }
  /// Told after every step.
  virtual void on_step(const SearchStep& /*step*/) {}
};

/// A search ended because its SearchControl said so.
class SearchCancelled final : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the search was cancelled"; }
};

}  // namespace attend::decode
