#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "decode/search/hypothesis.h"
#include "decode/search/search_control.h"

namespace attend::decode {

/// A partial translation that was in the beam: its last token, and the node before it.
struct BeamNode {
  enum class State {
    kInner,   ///< has children
    kEnded,   ///< a hypothesis ended here (token kEos)
    kPruned,  ///< fell out of the beam, or was in it when the search stopped
  };
  int64_t parent = -1;  ///< -1: the root, which holds kBos
  int64_t step = 0;     ///< number of tokens up to here
  text::TokenId token = text::kBos;
  double log_prob = 0.0;  ///< nats, of all tokens up to here
  State state = State::kPruned;
};

/// The history of the beam for a batch of one sentence, as a tree; nodes come after their parents.
class BeamTree final : public SearchControl {
 public:
  /// Forwards all calls to `also` (borrowed) unless it is null.
  explicit BeamTree(SearchControl* also = nullptr);

  [[nodiscard]] bool is_cancelled() override;
  void on_step(const SearchStep& step) override;
  /// Adds the ends of the found hypotheses.
  void finish(const NBest& found);

  [[nodiscard]] const std::vector<BeamNode>& nodes() const { return nodes_; }

 private:
  int64_t child(int64_t parent, text::TokenId token, double log_prob);
  int64_t follow(std::span<const text::TokenId> tokens, double log_prob);

  SearchControl* also_;
  std::vector<BeamNode> nodes_{{}};
  std::map<std::pair<int64_t, text::TokenId>, int64_t> children_;
};

}  // namespace attend::decode
