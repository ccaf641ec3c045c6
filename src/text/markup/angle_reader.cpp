#include "text/markup/angle_reader.h"

#include <algorithm>
#include <utility>

#include "text/markup/entities.h"

namespace attend::text {
namespace {

using Kind = AngleMark::Kind;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_void(std::string_view name) {
  return is_one_of(name, {"area", "base", "br", "col", "embed", "hr", "img", "input", "link",
                          "meta", "param", "source", "track", "wbr"});
}

bool is_block(std::string_view name) {
  return is_one_of(
      name, {"address", "article",  "aside",    "blockquote", "body",       "br",       "caption",
             "center",  "col",      "colgroup", "dd",         "details",    "dialog",   "dir",
             "div",     "dl",       "dt",       "fieldset",   "figcaption", "figure",   "footer",
             "form",    "frameset", "h1",       "h2",         "h3",         "h4",       "h5",
             "h6",      "head",     "header",   "hr",         "html",       "legend",   "li",
             "link",    "main",     "menu",     "meta",       "nav",        "ol",       "optgroup",
             "option",  "p",        "pre",      "script",     "section",    "select",   "style",
             "summary", "table",    "tbody",    "td",         "template",   "textarea", "tfoot",
             "th",      "thead",    "title",    "tr",         "ul"});
}

bool is_untranslated(std::string_view name) {
  return is_one_of(name, {"code", "kbd", "pre", "samp", "script", "style", "textarea", "var"});
}

/// Elements whose content has no tags.
bool is_raw(std::string_view name, Markup markup) {
  return markup == Markup::html && is_one_of(name, {"script", "style", "textarea"});
}

/// True for translate="no" and class="notranslate".
bool refuses_translation(std::string_view tag) {
  const auto has = [&](std::string_view attribute, std::string_view value) {
    for (std::size_t at = tag.find(attribute); at != std::string_view::npos;
         at = tag.find(attribute, at + 1)) {
      std::string_view rest = tag.substr(at + attribute.size());
      const auto skip = [&](std::string_view characters) {
        rest.remove_prefix(std::min(rest.find_first_not_of(characters), rest.size()));
      };
      skip(" \t");
      if (!rest.starts_with('=')) continue;
      skip("= \t\"'");
      const bool blank_before = at > 0 && (tag[at - 1] == ' ' || tag[at - 1] == '\t');
      const std::string_view found = rest.substr(0, rest.find_first_of(" \t\"'/>"));
      if (blank_before && found == value) return true;
    }
    return false;
  };
  return has("translate", "no") || has("class", "notranslate");
}

}  // namespace

void AngleParts::continue_open(MarkedLineBuilder& line) {
  if (open_.empty() || line.rest().empty()) return;
  const bool block = is_block(std::string_view(open_).substr(1, open_.find('>') - 1));
  std::size_t bytes = 0;
  if (element_.empty()) bytes = skip_mark(line.rest());
  if (!element_.empty()) bytes += skip_element(line.rest().substr(bytes));
  if (bytes > 0) line.add_single(bytes).separates = block;
}

std::size_t AngleParts::skip_mark(std::string_view text) {
  const bool is_tag = open_[1] != '!' && open_[1] != '?';
  const std::size_t found = is_tag ? end_of_tag(text, quote_) : text.find(end_);
  if (found == std::string_view::npos) return text.size();
  const std::size_t end = is_tag ? found : found + end_.size();
  const std::string name = std::exchange(open_, "").substr(1);
  const bool empty = text.substr(0, end).ends_with("/>");
  if (is_tag && !empty && is_untranslated(name)) begin_element(name);
  return end;
}

void AngleParts::begin_element(const std::string& name) {
  open_ = "<" + name + ">";
  element_ = name;
  depth_ = 1;
}

std::size_t AngleParts::skip_element(std::string_view text) {
  const bool raw = is_raw(element_, markup_);
  bool in_comment = false;  // unfinished comment; ignored, so that the element can end
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    const std::string_view rest = text.substr(at);
    const bool is_special = rest.starts_with("<!") || rest.starts_with("<?");
    const bool skipped = is_special && (raw || in_comment);
    const AngleMark mark = skipped ? AngleMark{} : read_angle_mark(rest, markup_, false);
    const bool same = mark.name == element_ && mark.is_finished();
    if (same && mark.kind == Kind::kOpen && !raw) ++depth_;
    if (same && mark.kind == Kind::kClose && --depth_ == 0) {
      open_.clear();
      element_.clear();
      return at + mark.bytes;
    }
    in_comment = in_comment || !mark.is_finished();
    at += mark.is_finished() && !raw ? std::max<std::size_t>(mark.bytes, 1) : 1;
  }
  return text.size();
}

void AngleParts::add_mark(MarkedLineBuilder& line) {
  const std::string_view before = line.before();
  const bool begins_line = before.find_first_not_of(" \t") == std::string_view::npos;
  const AngleMark mark = read_angle_mark(line.rest(), markup_, begins_line);
  if (mark.kind == Kind::kText) return line.add_text(1);
  if (mark.is_finished()) return add(mark, line);
  open_ = mark.kind == Kind::kOpen ? "<" + mark.name : std::string(line.rest().substr(0, 4));
  end_ = mark.end;
  quote_ = mark.quote;
  line.add_single(mark.bytes).separates = is_block(mark.name);
}

void AngleParts::add(const AngleMark& mark, MarkedLineBuilder& line) {
  const bool html = markup_ == Markup::html;
  const bool is_open = mark.kind == Kind::kOpen && !(html && is_void(mark.name));
  const bool is_close = mark.kind == Kind::kClose;
  if (is_open &&
      (is_untranslated(mark.name) || refuses_translation(line.rest().substr(0, mark.bytes))))
    return add_element(mark, line);
  const Tag* before = line.tag_before();
  const bool follows_end = before != nullptr && before->role == TagRole::kClose;
  const TagRole role = is_open ? TagRole::kOpen : is_close ? TagRole::kClose : TagRole::kSingle;
  line.add_tag(mark.bytes, role, mark.name).separates =
      html ? is_block(mark.name) : is_open && follows_end;
}

void AngleParts::add_element(const AngleMark& mark, MarkedLineBuilder& line) {
  begin_element(mark.name);
  const std::size_t content = skip_element(line.rest().substr(mark.bytes));
  line.add_single(mark.bytes + content).separates = markup_ == Markup::html && is_block(mark.name);
}

void AngleParts::add_entity(MarkedLineBuilder& line) const {
  const bool html = markup_ == Markup::html;
  if (const auto character = decode_entity(line.rest(), html)) {
    line.add_decoded(utf8::encode(std::u32string(1, character->code)), character->bytes);
  } else if (const std::size_t size = entity_size(line.rest()); size > 0) {
    line.add_single(size);  // an entity that the document declares
  } else {
    line.add_text(1);
  }
}

MarkedLine AngleReader::read(std::string text) {
  MarkedLineBuilder line(std::move(text));
  parts_.continue_open(line);
  while (!line.rest().empty()) {
    if (line.rest().starts_with('<')) {
      parts_.add_mark(line);
    } else if (line.rest().starts_with('&')) {
      parts_.add_entity(line);
    } else {
      line.add_text(std::min(line.rest().find_first_of("<&"), line.rest().size()));
    }
  }
  return line.finish();
}

}  // namespace attend::text
