#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "text/vocabulary.h"

namespace attend::decode {

/// A sequence of tokens, not empty.
struct Phrase {
  std::vector<text::TokenId> tokens;
  /// True: an occurrence counts only if the output ends after it or the next token begins a word.
  bool ends_word = false;

  auto operator<=>(const Phrase&) const = default;
};

/// Phrases that an output must contain (Hokamp & Liu 2017, arXiv 1704.07138).
struct RequiredPhrases {
  /// Any one phrase of a group meets the group. A group that is given n times needs n occurrences
  /// that do not overlap. Different groups are independent: their occurrences may share tokens.
  std::vector<std::vector<Phrase>> groups;
  /// [V], 1 for tokens that continue a word; null: there are none. Requires: no phrase begins with
  /// such a token.
  std::shared_ptr<const std::vector<char>> continues_word = {};

  /// The number of tokens if every group is met by its longest phrase.
  [[nodiscard]] int64_t longest() const;
  /// The tokens of all phrases.
  [[nodiscard]] std::vector<text::TokenId> tokens() const;
};

/// Tracks the required phrases in outputs: an automaton whose states are created when they are
/// first reached. A phrase may begin at any token, even inside an unfinished occurrence of itself.
class PhraseAutomaton {
 public:
  static constexpr int32_t kStart = 0;  ///< the state of an empty output

  explicit PhraseAutomaton(const RequiredPhrases& required);

  /// The state after `token`.
  [[nodiscard]] int32_t next(int32_t state, text::TokenId token);
  /// A number of further tokens that suffices to meet all groups. 0: all are met; the output may
  /// end.
  [[nodiscard]] int64_t missing(int32_t state) const { return nodes_[at(state)].missing; }
  /// The tokens that continue or begin a phrase, ascending. If tokens are missing, at least one of
  /// these reduces their number.
  [[nodiscard]] std::span<const text::TokenId> advancing(int32_t state) const {
    return nodes_[at(state)].advancing;
  }

 private:
  struct Group {
    std::vector<Phrase> phrases;
    int64_t shortest = 0;
    int64_t count = 0;  // occurrences that are required
  };
  /// A phrase whose first `matched` tokens are the last ones of the output.
  struct Partial {
    std::size_t group = 0;
    std::size_t phrase = 0;
    std::size_t matched = 0;
    auto operator<=>(const Partial&) const = default;
  };
  struct State {
    std::vector<Partial> partials;  // ascending
    std::vector<int64_t> open;      // by group: occurrences still missing
    std::vector<char> pending;      // by group: 1 if an occurrence has just ended that will not
                                    // count if the next token continues its word
    auto operator<=>(const State&) const = default;
  };
  struct Node {
    const State* state = nullptr;
    int64_t missing = 0;
    std::vector<text::TokenId> advancing;
    std::unordered_map<text::TokenId, int32_t> next;
  };

  [[nodiscard]] static std::size_t at(int32_t state) { return static_cast<std::size_t>(state); }
  [[nodiscard]] const Phrase& phrase(const Partial& partial) const;
  [[nodiscard]] text::TokenId next_token(const Partial& partial) const;
  [[nodiscard]] bool continues_word(text::TokenId token) const;
  [[nodiscard]] text::TokenId representative(text::TokenId token) const;
  void resolve_pending(State& state, text::TokenId token) const;
  void move_partials(State& state, text::TokenId token) const;
  void complete(State& state) const;
  [[nodiscard]] bool is_kept(const State& state, const Partial& partial) const;
  [[nodiscard]] int64_t missing_of(const State& state) const;
  [[nodiscard]] std::vector<text::TokenId> advancing_of(const State& state) const;
  int32_t intern(State state);

  std::vector<Group> groups_;
  std::vector<text::TokenId> tokens_;  // of all phrases, ascending
  std::shared_ptr<const std::vector<char>> continues_word_;
  std::map<State, int32_t> ids_;
  std::vector<Node> nodes_;
};

}  // namespace attend::decode
