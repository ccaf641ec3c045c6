// Checks what SentencePiece's Normalizer::NormalizePrefix() and the search of darts-clone read.
// From state s (an index of the trie), byte c looks at unit s ^ c. If the label of this unit is c,
// the next state is s ^ c ^ offset; if the unit has a leaf, the unit at the next state is a value.
// So all 256 units around a reachable state must exist, and the values must be offsets of whole
// replacements. At most 32 keys may be prefixes of one text, because the results go to an array of
// that size.
#include "text/charsmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/utf8.h"

namespace attend::text {
namespace {

constexpr std::size_t kMostRuleBytes = std::size_t{1} << 24;
constexpr std::size_t kLongestReplacement = 1024;
constexpr std::size_t kMostKeys = 32;  // Normalizer::kMaxTrieResultsSize
constexpr uint32_t kBytes = 256;       // values of a byte

/// A unit of the trie, as in darts-clone's DoubleArrayUnit.
class Unit {
 public:
  explicit Unit(uint32_t bits) : bits_(bits) {}

  [[nodiscard]] bool has_label(uint32_t byte) const { return (bits_ & 0x8000'00FFU) == byte; }
  [[nodiscard]] bool has_leaf() const { return (bits_ >> 8 & 1U) == 1; }
  [[nodiscard]] uint32_t offset() const { return bits_ >> 10 << ((bits_ & 0x200U) >> 6); }
  [[nodiscard]] uint32_t value() const { return bits_ & 0x7FFF'FFFFU; }

 private:
  uint32_t bits_;
};

/// Bytes of a character after its first byte. Throws ModelFault for a byte that cannot be first.
uint8_t bytes_after(uint32_t first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first <= 0xDF) return 1;
  if (first >= 0xE0 && first <= 0xEF) return 2;
  if (first >= 0xF0 && first <= 0xF4) return 3;
  throw ModelFault{"a key is not well-formed UTF-8"};
}

/// Walks through all reachable states, each once.
class TrieCheck {
 public:
  TrieCheck(std::string_view trie, std::string_view replacements)
      : trie_(trie), replacements_(replacements), states_(trie.size() / sizeof(uint32_t)) {}

  void run() {
    if (states_.empty()) throw ModelFault{"the trie is empty"};
    open(unit(0).offset(), 0);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.next_byte == kBytes) {
        close();
      } else {
        follow(step.state, step.next_byte++);
      }
    }
  }

 private:
  enum class Progress : uint8_t { kNew, kOpen, kDone };
  struct State {
    Progress progress = Progress::kNew;
    uint8_t unfinished = 0;  // bytes that the last character of the key still lacks
    uint8_t matches = 0;     // most keys on a path from here
  };
  struct Step {
    uint32_t state;
    uint32_t next_byte;
    uint8_t matches;  // `matches` of the unit that leads here
  };

  [[nodiscard]] Unit unit(uint32_t index) const {
    uint32_t bits = 0;
    std::memcpy(&bits, trie_.data() + std::size_t{index} * sizeof bits, sizeof bits);
    return Unit(bits);
  }

  /// Visits the state that `byte` leads to, if there is one.
  void follow(uint32_t from, uint32_t byte) {
    const Unit next = unit(from ^ byte);
    if (!next.has_label(byte)) return;
    const uint8_t unfinished = after(states_[from].unfinished, byte);
    const uint32_t to = from ^ byte ^ next.offset();
    if (to >= states_.size()) throw ModelFault{"the trie points outside itself"};
    if (next.has_leaf()) check_leaf(to, unfinished);
    const auto matches = static_cast<uint8_t>(next.has_leaf() ? 1 : 0);
    if (states_[to].progress == Progress::kNew) {
      open(to, unfinished, matches);
      return;
    }
    if (states_[to].progress == Progress::kOpen) throw ModelFault{"the trie has a loop"};
    if (states_[to].unfinished != unfinished) throw ModelFault{"a key is not well-formed UTF-8"};
    count(from, states_[to].matches + matches);
  }

  static uint8_t after(uint8_t unfinished, uint32_t byte) {
    if (unfinished == 0) return bytes_after(byte);
    if ((byte & 0xC0U) != 0x80U) throw ModelFault{"a key is not well-formed UTF-8"};
    return static_cast<uint8_t>(unfinished - 1);
  }

  void open(uint32_t state, uint8_t unfinished, uint8_t matches = 0) {
    if ((state | (kBytes - 1)) >= states_.size())
      throw ModelFault{"the trie points outside itself"};
    states_[state].progress = Progress::kOpen;
    states_[state].unfinished = unfinished;
    path_.push_back({state, 0, matches});
  }

  void close() {
    const Step done = path_.back();
    path_.pop_back();
    states_[done.state].progress = Progress::kDone;
    if (!path_.empty()) count(path_.back().state, states_[done.state].matches + done.matches);
  }

  void count(uint32_t state, std::size_t matches) {
    if (matches > kMostKeys) throw ModelFault{"too many keys are prefixes of one text"};
    states_[state].matches = std::max(states_[state].matches, static_cast<uint8_t>(matches));
  }

  void check_leaf(uint32_t at, uint8_t unfinished) const {
    if (unfinished > 0) throw ModelFault{"a key is not well-formed UTF-8"};
    const std::size_t begin = unit(at).value();
    if (begin >= replacements_.size()) throw ModelFault{"a replacement lies outside the file"};
    const std::string_view part = replacements_.substr(begin, kLongestReplacement + 1);
    const std::size_t length = part.find('\0');
    if (length == std::string_view::npos)
      throw ModelFault{
          fmt::format("a replacement does not end within {} bytes", kLongestReplacement)};
    if (!utf8::is_valid(part.substr(0, length)))
      throw ModelFault{"a replacement is not well-formed UTF-8"};
  }

  std::string_view trie_;
  std::string_view replacements_;
  std::vector<State> states_;  // by index of the trie
  std::vector<Step> path_;
};

}  // namespace

void check_charsmap(std::string_view charsmap) {
  uint32_t trie_bytes = 0;
  if (charsmap.size() > kMostRuleBytes)
    throw ModelFault{fmt::format("the rules are larger than {} MiB", kMostRuleBytes >> 20)};
  if (charsmap.size() <= sizeof trie_bytes) throw ModelFault{"the rules are cut short"};
  std::memcpy(&trie_bytes, charsmap.data(), sizeof trie_bytes);
  charsmap.remove_prefix(sizeof trie_bytes);
  if (trie_bytes >= charsmap.size()) throw ModelFault{"the rules are cut short"};
  TrieCheck(charsmap.substr(0, trie_bytes), charsmap.substr(trie_bytes)).run();
}

}  // namespace attend::text
