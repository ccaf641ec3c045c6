#include "text/markup/tag_placement.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "text/characters.h"

namespace attend::text {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// Words [begin, end) of the translation.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// An element with what is in it, or a tag without a partner.
struct Node {
  std::size_t open = kNone;   // the tag; none: the whole part
  std::size_t close = kNone;  // none: a tag without a partner
  utf8::Span text;            // of the part
  bool has_text = false;      // there is more than blanks in `text`
  std::vector<std::size_t> children = {};
};

std::size_t overlap(const utf8::Span& a, const utf8::Span& b) {
  const std::size_t begin = std::max(a.begin, b.begin);
  const std::size_t end = std::min(a.end, b.end);
  return end > begin ? end - begin : 0;
}

bool has_characters(std::string_view text, const utf8::Span& span) {
  const utf8::Span inside = trimmed(text, span);
  return inside.begin < inside.end;
}

/// The elements of a part as a tree; the first node is the whole part.
std::vector<Node> make_tree(const MarkedPart& part) {
  std::vector<Node> nodes = {{.text = {0, part.text.size()}, .has_text = true}};
  std::vector<std::size_t> path = {0};
  for (std::size_t i = 0; i < part.tags.size(); ++i) {
    const PartTag& tag = part.tags[i];
    if (tag.partner && *tag.partner < i) {
      path.pop_back();
      continue;
    }
    const std::size_t end = tag.partner ? part.tags[*tag.partner].offset : tag.offset;
    nodes[path.back()].children.push_back(nodes.size());
    if (tag.partner) path.push_back(nodes.size());
    nodes.push_back({.open = i,
                     .close = tag.partner.value_or(kNone),
                     .text = {tag.offset, end},
                     .has_text = has_characters(part.text, {tag.offset, end})});
  }
  return nodes;
}

class TagPlacer {
 public:
  TagPlacer(const MarkedPart& part, std::vector<LinkedWord> words)
      : part_(part), words_(std::move(words)), nodes_(make_tree(part)), places_(words_.size() + 1) {
    if (std::ranges::none_of(words_, [](const auto& word) { return word.source.has_value(); }))
      link_in_order();
  }

  TagPlaces place() {
    place_children(nodes_.front(), {0, words_.size()});
    return std::move(places_);
  }

 private:
  /// A child of an element and where it is put: around words, or, if it has none, before a word.
  struct Placed {
    std::size_t node = 0;
    Stretch words = {kNone, kNone};

    [[nodiscard]] bool is_empty() const { return words.begin == words.end; }
    [[nodiscard]] bool is_placed() const { return words.begin != kNone; }
  };

  void link_in_order() {
    for (std::size_t t = 0; t < words_.size(); ++t) {
      const std::size_t place = part_.text.size() * (2 * t + 1) / (2 * words_.size());
      words_[t].source = {place, place + 1};
    }
  }

  // The recursion is as deep as elements are nested, which MarkedLineBuilder limits.
  void place_children(const Node& node, const Stretch& words) {
    Node section{.text = node.text};
    Stretch rest = words;
    for (const std::size_t child : node.children) {
      if (!divides(nodes_[child])) {
        section.children.push_back(child);
        continue;
      }
      const std::size_t place = dividing_place(nodes_[child], section.text, rest);
      section.text.end = nodes_[child].text.begin;
      place_section(section, {rest.begin, place});
      places_[place].push_back(nodes_[child].open);
      rest.begin = place;
      section = {.text = {nodes_[child].text.begin, node.text.end}};
    }
    place_section(section, rest);
  }

  /// True for tags that begin or end an element which continues outside of the part. Words and
  /// other tags stay on their side of such a tag.
  [[nodiscard]] bool divides(const Node& node) const {
    return node.close == kNone && part_.tags[node.open].role != TagRole::kSingle;
  }

  /// The place that puts most words on the same side of the tag as their source words.
  [[nodiscard]] std::size_t dividing_place(const Node& tag, const utf8::Span& text,
                                           const Stretch& words) const {
    const std::size_t point = tag.text.begin;
    if (!has_characters(part_.text, {text.begin, point})) return words.begin;
    if (!has_characters(part_.text, {point, text.end})) return words.end;
    const bool opens = part_.tags[tag.open].role == TagRole::kOpen;
    std::size_t best = words.begin;
    int64_t best_sum = 0;  // words before the place that belong there, less those that do not
    int64_t sum = 0;
    for (std::size_t t = words.begin; t < words.end; ++t) {
      if (words_[t].source) sum += words_[t].source->begin < point ? 1 : -1;
      // Words without a link stay outside of the element.
      if (sum > best_sum || (opens && sum == best_sum && !words_[t].source)) {
        best_sum = sum;
        best = t + 1;
      }
    }
    return best;
  }

  void place_section(const Node& node, const Stretch& words) {
    std::vector<Placed> children;
    for (const std::size_t child : node.children) children.push_back({.node = child});
    place_around_words(node, words, children);
    place_between_words(node, words, children);
    write(children);
  }

  void place_around_words(const Node& node, const Stretch& words, std::vector<Placed>& children) {
    std::vector<bool> is_free(words_.size());
    for (std::size_t t = words.begin; t < words.end; ++t) is_free[t] = true;
    const auto put = [&](Placed& child, const Stretch& stretch) {
      child.words = stretch;
      for (std::size_t t = stretch.begin; t < stretch.end; ++t) is_free[t] = false;
    };
    for (Placed& child : children) {
      // Only one child can have all the text.
      if (has_all_text(nodes_[child.node], node)) put(child, words);
    }
    const std::vector<std::size_t> owners = owners_of(words, children);
    for (const std::size_t i : most_words_first(owners, children))
      put(children[i], best_stretch(i, owners, words, is_free));
    for (Placed& child : children) {
      const Node& own = nodes_[child.node];
      if (own.has_text && !child.is_placed()) put(child, word_near(own, node, words, is_free));
    }
  }

  [[nodiscard]] bool has_all_text(const Node& child, const Node& parent) const {
    return child.has_text && !has_characters(part_.text, {parent.text.begin, child.text.begin}) &&
           !has_characters(part_.text, {child.text.end, parent.text.end});
  }

  /// For each word, the child whose text it is linked to.
  [[nodiscard]] std::vector<std::size_t> owners_of(const Stretch& words,
                                                   const std::vector<Placed>& children) const {
    std::vector<std::size_t> owners(words.end - words.begin, kNone);
    for (std::size_t t = words.begin; t < words.end; ++t) {
      if (!words_[t].source) continue;
      const utf8::Span& source = *words_[t].source;
      const auto ends_before = [&](const Placed& child) {
        return nodes_[child.node].text.end <= source.begin;
      };
      const auto first = std::ranges::partition_point(children, ends_before);
      std::size_t most = 0;
      for (auto child = first;
           child != children.end() && nodes_[child->node].text.begin < source.end; ++child) {
        const std::size_t shared = overlap(nodes_[child->node].text, source);
        if (shared <= most) continue;
        most = shared;
        owners[t - words.begin] = static_cast<std::size_t>(child - children.begin());
      }
    }
    return owners;
  }

  /// The children that own words and are not placed, those with most words first.
  [[nodiscard]] static std::vector<std::size_t> most_words_first(
      const std::vector<std::size_t>& owners, const std::vector<Placed>& children) {
    std::vector<std::size_t> counts(children.size());
    for (const std::size_t owner : owners) {
      if (owner != kNone) ++counts[owner];
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (counts[i] > 0 && !children[i].is_placed()) order.push_back(i);
    }
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return counts[i]; });
    return order;
  }

  /// The stretch of free words with the largest sum (Kadane's algorithm). Words of the child add to
  /// the sum; other words subtract from it, and words without a link subtract less.
  [[nodiscard]] Stretch best_stretch(std::size_t child, const std::vector<std::size_t>& owners,
                                     const Stretch& words, const std::vector<bool>& is_free) const {
    constexpr int kOwn = 4;
    Stretch best{kNone, kNone};
    int64_t best_sum = 0;
    int64_t sum = 0;
    std::size_t begin = words.begin;
    for (std::size_t t = words.begin; t < words.end; ++t) {
      const std::size_t i = t - words.begin;
      sum += owners[i] == child ? kOwn : words_[t].source ? -kOwn : -1;
      if (!is_free[t] || sum <= 0) {
        sum = 0;
        begin = t + 1;
      } else if (sum > best_sum) {
        best_sum = sum;
        best = {begin, t + 1};
      }
    }
    return best;
  }

  /// A free word next to the place of a child that owns no word of the translation; nothing if none
  /// is free there.
  [[nodiscard]] Stretch word_near(const Node& child, const Node& parent, const Stretch& words,
                                  const std::vector<bool>& is_free) const {
    const std::size_t place = place_of(child, parent, words);
    if (place < words.end && is_free[place]) return {place, place + 1};
    if (place > words.begin && is_free[place - 1]) return {place - 1, place};
    return {kNone, kNone};
  }

  /// Puts the remaining children between words, outside of the placed children.
  void place_between_words(const Node& node, const Stretch& words, std::vector<Placed>& children) {
    const std::vector<std::size_t> allowed = places_outside(words, children);
    for (Placed& child : children) {
      if (child.is_placed()) continue;
      const Node& own = nodes_[child.node];
      const std::size_t place = allowed[place_of(own, node, words) - words.begin];
      child.words = {place, place};
    }
  }

  /// For each place (before a word, or after the last one), the nearest place that is not inside of
  /// a placed child.
  [[nodiscard]] static std::vector<std::size_t> places_outside(
      const Stretch& words, const std::vector<Placed>& children) {
    std::vector<std::size_t> allowed;
    for (std::size_t t = words.begin; t <= words.end; ++t) allowed.push_back(t);
    for (const Placed& child : children) {
      if (!child.is_placed()) continue;
      const auto [begin, end] = child.words;
      for (std::size_t t = begin; t < end; ++t)
        allowed[t - words.begin] = t - begin <= end - t ? begin : end;
    }
    return allowed;
  }

  /// The place in the translation that corresponds to the tag's place in the text.
  [[nodiscard]] std::size_t place_of(const Node& child, const Node& parent,
                                     const Stretch& words) const {
    const std::size_t point = child.text.begin;
    if (!has_characters(part_.text, {parent.text.begin, point})) return words.begin;
    if (!has_characters(part_.text, {child.text.end, parent.text.end})) return words.end;
    std::size_t next = kNone, before = kNone;  // the words linked to the text after and before it
    std::size_t to_next = kNone, to_before = kNone;  // their distances in the source
    for (std::size_t t = words.begin; t < words.end; ++t) {
      if (!words_[t].source) continue;
      const auto [begin, end] = *words_[t].source;
      if (begin >= point && begin - point < to_next) next = t, to_next = begin - point;
      if (end <= point && point - end <= to_before) before = t, to_before = point - end;
    }
    if (next == kNone && before == kNone) return place_in_order(point, parent, words);
    if (next == kNone) return before + 1;
    if (before == kNone) return next;
    return prefers_next(child.open) ? (to_next <= to_before + 1 ? next : before + 1)
                                    : (to_before <= to_next + 1 ? before + 1 : next);
  }

  [[nodiscard]] static std::size_t place_in_order(std::size_t point, const Node& parent,
                                                  const Stretch& words) {
    const std::size_t size = std::max<std::size_t>(parent.text.end - parent.text.begin, 1);
    return words.begin + (words.end - words.begin) * (point - parent.text.begin) / size;
  }

  /// True if the tag belongs to the text after it rather than to the text before.
  [[nodiscard]] bool prefers_next(std::size_t index) const {
    const PartTag& tag = part_.tags[index];
    if (tag.role == TagRole::kClose) return false;
    return tag.role == TagRole::kOpen || tag.blank.empty() || !tag.before_blank;
  }

  /// Writes the tags of the children from left to right. At one place, closing tags come first,
  /// then children without words, then opening tags.
  void write(std::vector<Placed>& children) {
    std::ranges::stable_sort(children, {}, [](const Placed& child) {
      return std::pair(child.words.begin, child.is_empty() ? 0 : 1);
    });
    for (const Placed& child : children) {
      const Node& node = nodes_[child.node];
      places_[child.words.begin].push_back(node.open);
      if (node.close == kNone) continue;
      place_children(node, child.words);
      places_[child.words.end].push_back(node.close);
    }
  }

  const MarkedPart& part_;
  std::vector<LinkedWord> words_;
  std::vector<Node> nodes_;
  TagPlaces places_;
};

}  // namespace

TagPlaces place_tags(const MarkedPart& part, std::vector<LinkedWord> words) {
  return TagPlacer(part, std::move(words)).place();
}

std::vector<LinkedWord> cut_copied_words(const MarkedPart& part, std::string_view translation,
                                         const std::vector<LinkedWord>& words) {
  std::vector<LinkedWord> cut;
  for (LinkedWord word : words) {
    const auto [begin, end] = word.target;
    const utf8::Span source = word.source.value_or(utf8::Span{});
    if (part.text.compare(source.begin, source.end - source.begin,
                          translation.substr(begin, end - begin)) == 0) {
      const auto first = std::ranges::upper_bound(part.tags, source.begin, {}, &PartTag::offset);
      for (auto tag = first; tag != part.tags.end() && tag->offset < source.end; ++tag) {
        const std::size_t size = tag->offset - word.source->begin;
        if (size == 0) continue;
        cut.push_back({{word.target.begin, word.target.begin + size},
                       utf8::Span{word.source->begin, tag->offset}});
        word.target.begin += size;
        word.source->begin = tag->offset;
      }
    }
    cut.push_back(word);
  }
  return cut;
}

}  // namespace attend::text
