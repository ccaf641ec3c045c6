#include "text/markup/marked_line.h"

#include <utility>

namespace attend::text {

MarkedLineBuilder::MarkedLineBuilder(std::string raw) {
  line_.raw = std::move(raw);
}

std::string_view MarkedLineBuilder::rest() const {
  return std::string_view(line_.raw).substr(position_);
}

std::string_view MarkedLineBuilder::before() const {
  return std::string_view(line_.raw).substr(0, position_);
}

void MarkedLineBuilder::add_text(std::size_t bytes) {
  line_.text.append(rest().substr(0, bytes));
  for (std::size_t i = 0; i < bytes; ++i) line_.origin.push_back(position_++);
}

void MarkedLineBuilder::add_decoded(std::string_view text, std::size_t bytes) {
  line_.text.append(text);
  line_.origin.insert(line_.origin.end(), text.size(), position_);
  position_ += bytes;
}

Tag& MarkedLineBuilder::add_single(std::size_t bytes) {
  line_.tags.push_back({.raw = {position_, position_ + bytes}, .offset = line_.text.size()});
  position_ += bytes;
  return line_.tags.back();
}

Tag& MarkedLineBuilder::add_tag(std::size_t bytes, TagRole role, const std::string& name) {
  const std::size_t tag = line_.tags.size();
  add_single(bytes).role = role;
  if (role == TagRole::kOpen) {
    open_.push_back({tag, name});
    ++open_count_[name];
  } else if (role == TagRole::kClose) {
    close(tag, name);
  }
  return line_.tags.back();
}

void MarkedLineBuilder::close(std::size_t tag, const std::string& name) {
  const auto count = open_count_.find(name);
  if (count == open_count_.end() || count->second == 0) return;
  while (true) {
    const OpenTag top = std::move(open_.back());
    open_.pop_back();
    --open_count_[top.name];
    if (top.name != name) continue;
    line_.tags[tag].partner = top.tag;
    line_.tags[top.tag].partner = tag;
    return;
  }
}

const Tag* MarkedLineBuilder::tag_before() const {
  return line_.tags.empty() || line_.tags.back().raw.end != position_ ? nullptr
                                                                      : &line_.tags.back();
}

MarkedLine MarkedLineBuilder::finish() {
  line_.origin.push_back(line_.raw.size());
  separate_deep_pairs();
  return std::move(line_);
}

// Bounds the recursion over elements: the tags of deeper elements lose their partners. They keep
// their order, and so stay nested.
void MarkedLineBuilder::separate_deep_pairs() {
  constexpr std::size_t kDeepest = 100;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < line_.tags.size(); ++i) {
    Tag& tag = line_.tags[i];
    if (!tag.partner || *tag.partner < i) {
      depth -= tag.partner ? 1 : 0;
    } else if (depth < kDeepest) {
      ++depth;
    } else {
      line_.tags[*tag.partner].partner.reset();
      tag.partner.reset();
    }
  }
}

}  // namespace attend::text
