#include "tests/decode/required_oracle.h"

#include <algorithm>

namespace attend::test {
namespace {

/// True if `phrase` occurs in `output` from token `begin` on.
bool occurs_at(const Tokens& output, std::size_t begin, const decode::Phrase& phrase,
               const decode::RequiredPhrases& required) {
  const std::size_t end = begin + phrase.tokens.size();
  if (end > output.size()) return false;
  if (!std::equal(phrase.tokens.begin(), phrase.tokens.end(),
                  output.begin() + static_cast<int64_t>(begin)))
    return false;
  if (!phrase.ends_word || required.continues_word == nullptr || end == output.size()) return true;
  return (*required.continues_word)[static_cast<std::size_t>(output[end])] == 0;
}

/// The most occurrences of phrases of a group, without overlap, from token `begin` on.
int64_t most_occurrences(const Tokens& output, std::size_t begin,
                         const std::vector<decode::Phrase>& group,
                         const decode::RequiredPhrases& required) {
  if (begin >= output.size()) return 0;
  int64_t most = most_occurrences(output, begin + 1, group, required);
  for (const decode::Phrase& phrase : group) {
    if (!occurs_at(output, begin, phrase, required)) continue;
    most =
        std::max(most, 1 + most_occurrences(output, begin + phrase.tokens.size(), group, required));
  }
  return most;
}

}  // namespace

bool contains(const Tokens& output, const decode::RequiredPhrases& required) {
  return std::ranges::all_of(required.groups, [&](const auto& group) {
    return most_occurrences(output, 0, group, required) >=
           std::ranges::count(required.groups, group);
  });
}

decode::RequiredPhrases all_of(const std::vector<Tokens>& phrases) {
  decode::RequiredPhrases required;
  for (const Tokens& phrase : phrases) required.groups.push_back({{phrase, false}});
  return required;
}

}  // namespace attend::test
