#include "decode/search/beam_tree.h"

namespace attend::decode {

BeamTree::BeamTree(SearchControl* also) : also_(also) {}

bool BeamTree::is_cancelled() {
  return also_ != nullptr && also_->is_cancelled();
}

void BeamTree::on_step(const SearchStep& step) {
  for (const LiveHypothesis& live : step.live()) follow(live.tokens, live.log_prob);
  if (also_ != nullptr) also_->on_step(step);
}

void BeamTree::finish(const NBest& found) {
  for (const Hypothesis& hypothesis : found) {
    const int64_t last = follow(hypothesis.tokens, hypothesis.log_prob);
    const int64_t end = child(last, text::kEos, hypothesis.log_prob);
    nodes_[static_cast<std::size_t>(end)].state = BeamNode::State::kEnded;
  }
}

/// Returns the node of `tokens`, which end with log-probability `log_prob`. Only the last token may
/// be new, since the earlier tokens were in the beam before.
int64_t BeamTree::follow(std::span<const text::TokenId> tokens, double log_prob) {
  int64_t node = 0;
  for (const text::TokenId token : tokens) node = child(node, token, log_prob);
  return node;
}

int64_t BeamTree::child(int64_t parent, text::TokenId token, double log_prob) {
  const auto [place, added] = children_.try_emplace({parent, token}, std::ssize(nodes_));
  if (added) {
    BeamNode& above = nodes_[static_cast<std::size_t>(parent)];
    above.state = BeamNode::State::kInner;
    nodes_.push_back(
        {.parent = parent, .step = above.step + 1, .token = token, .log_prob = log_prob});
  }
  return place->second;
}

}  // namespace attend::decode
