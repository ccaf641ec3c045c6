#include "decode/scoring/required_phrases.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace attend::decode {
namespace {

using text::TokenId;

constexpr TokenId kOther = -1;           // any token that is in no phrase and begins a word
constexpr TokenId kOtherContinues = -2;  // any token that is in no phrase and continues a word

std::size_t longest_of(const std::vector<Phrase>& group) {
  std::size_t longest = 0;
  for (const Phrase& phrase : group) longest = std::max(longest, phrase.tokens.size());
  return longest;
}

std::size_t shortest_of(const std::vector<Phrase>& group) {
  std::size_t shortest = longest_of(group);
  for (const Phrase& phrase : group) shortest = std::min(shortest, phrase.tokens.size());
  return shortest;
}

void sort_unique(auto& values) {
  std::ranges::sort(values);
  const auto rest = std::ranges::unique(values);
  values.erase(rest.begin(), rest.end());
}

}  // namespace

int64_t RequiredPhrases::longest() const {
  std::size_t sum = 0;
  for (const auto& group : groups) sum += longest_of(group);
  return static_cast<int64_t>(sum);
}

std::vector<TokenId> RequiredPhrases::tokens() const {
  std::vector<TokenId> all;
  for (const auto& group : groups) {
    for (const Phrase& phrase : group)
      all.insert(all.end(), phrase.tokens.begin(), phrase.tokens.end());
  }
  sort_unique(all);
  return all;
}

PhraseAutomaton::PhraseAutomaton(const RequiredPhrases& required)
    : tokens_(required.tokens()), continues_word_(required.continues_word) {
  std::map<std::vector<Phrase>, int64_t> counts;
  for (std::vector<Phrase> group : required.groups) {
    sort_unique(group);
    if (group.empty() || shortest_of(group) == 0)
      throw std::logic_error("a required phrase is empty");
    ++counts[std::move(group)];
  }
  State start;
  for (const auto& [phrases, count] : counts) {
    groups_.push_back({phrases, static_cast<int64_t>(shortest_of(phrases)), count});
    start.open.push_back(count);
    start.pending.push_back(0);
  }
  intern(std::move(start));
}

const Phrase& PhraseAutomaton::phrase(const Partial& partial) const {
  return groups_[partial.group].phrases[partial.phrase];
}

TokenId PhraseAutomaton::next_token(const Partial& partial) const {
  return phrase(partial).tokens[partial.matched];
}

bool PhraseAutomaton::continues_word(TokenId token) const {
  if (token < 0) return token == kOtherContinues;
  return continues_word_ != nullptr && (*continues_word_)[static_cast<std::size_t>(token)] != 0;
}

TokenId PhraseAutomaton::representative(TokenId token) const {
  if (std::ranges::binary_search(tokens_, token)) return token;
  return continues_word(token) ? kOtherContinues : kOther;
}

int32_t PhraseAutomaton::next(int32_t state, TokenId token) {
  token = representative(token);
  if (const auto known = nodes_[at(state)].next.find(token); known != nodes_[at(state)].next.end())
    return known->second;
  State after = *nodes_[at(state)].state;
  resolve_pending(after, token);
  move_partials(after, token);
  complete(after);
  const int32_t id = intern(std::move(after));
  nodes_[at(state)].next.emplace(token, id);
  return id;
}

/// Decides whether each occurrence that has just ended counts. Occurrences of a group that count
/// must not overlap. Counting the one that ends first leads to the largest number.
void PhraseAutomaton::resolve_pending(State& state, TokenId token) const {
  const bool extended = continues_word(token);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (state.pending[g] == 0) continue;
    state.pending[g] = 0;
    if (extended) {
      ++state.open[g];
    } else {
      std::erase_if(state.partials, [g](const Partial& partial) { return partial.group == g; });
    }
  }
}

void PhraseAutomaton::move_partials(State& state, TokenId token) const {
  std::vector<Partial> moved;
  const auto move = [&](Partial partial) {
    if (next_token(partial) != token) return;
    ++partial.matched;
    moved.push_back(partial);
  };
  for (const Partial& partial : state.partials) move(partial);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t p = 0; state.open[g] > 0 && p < groups_[g].phrases.size(); ++p)
      move({.group = g, .phrase = p, .matched = 0});
  }
  std::ranges::sort(moved);
  state.partials = std::move(moved);
}

/// Counts the phrases that have just ended, at most one per group.
void PhraseAutomaton::complete(State& state) const {
  std::vector<char> ended(groups_.size(), 0), counts_now(groups_.size(), 0);
  for (const Partial& partial : state.partials) {
    const Phrase& found = phrase(partial);
    if (partial.matched < found.tokens.size()) continue;
    ended[partial.group] = 1;
    if (!found.ends_word || continues_word_ == nullptr) counts_now[partial.group] = 1;
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (ended[g] == 0 || state.open[g] == 0) continue;
    --state.open[g];
    if (counts_now[g] == 0) state.pending[g] = 1;
  }
  std::erase_if(state.partials, [&](const Partial& partial) {
    return counts_now[partial.group] != 0 || !is_kept(state, partial);
  });
}

bool PhraseAutomaton::is_kept(const State& state, const Partial& partial) const {
  return partial.matched < phrase(partial).tokens.size() &&
         (state.open[partial.group] > 0 || state.pending[partial.group] != 0);
}

/// Sums the shortest phrase of each missing occurrence, less what the most advanced phrase saves:
/// the tokens that it has already. If its next token continues a word, it costs the occurrences
/// that were about to count.
int64_t PhraseAutomaton::missing_of(const State& state) const {
  int64_t sum = 0, at_risk = 0, saved = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    sum += state.open[g] * groups_[g].shortest;
    at_risk += state.pending[g] * groups_[g].shortest;
  }
  for (const Partial& partial : state.partials) {
    const bool takes_back = continues_word(next_token(partial));
    if (!takes_back && state.pending[partial.group] != 0) continue;  // it will be dropped
    const auto left = static_cast<int64_t>(phrase(partial).tokens.size() - partial.matched);
    saved = std::max(saved, groups_[partial.group].shortest - left - (takes_back ? at_risk : 0));
  }
  return sum - saved;
}

std::vector<TokenId> PhraseAutomaton::advancing_of(const State& state) const {
  std::vector<TokenId> tokens;
  for (const Partial& partial : state.partials) tokens.push_back(next_token(partial));
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (state.open[g] == 0) continue;
    for (const Phrase& phrase : groups_[g].phrases) tokens.push_back(phrase.tokens.front());
  }
  sort_unique(tokens);
  return tokens;
}

int32_t PhraseAutomaton::intern(State state) {
  const auto [place, is_new] =
      ids_.try_emplace(std::move(state), static_cast<int32_t>(nodes_.size()));
  if (is_new) {
    const State& kept = place->first;  // maps do not move their keys
    nodes_.push_back({&kept, missing_of(kept), advancing_of(kept), {}});
  }
  return place->second;
}

}  // namespace attend::decode
