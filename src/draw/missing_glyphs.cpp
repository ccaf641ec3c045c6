#include "draw/missing_glyphs.h"

#include <glib.h>

#include "core/excerpt.h"
#include "core/log.h"
#include "core/utf8.h"

namespace attend::draw {

namespace {

bool is_chinese_japanese_or_korean(GUnicodeScript script) {
  switch (script) {
    case G_UNICODE_SCRIPT_HAN:
    case G_UNICODE_SCRIPT_HIRAGANA:
    case G_UNICODE_SCRIPT_KATAKANA:
    case G_UNICODE_SCRIPT_HANGUL:
    case G_UNICODE_SCRIPT_BOPOMOFO:
      return true;
    default:
      return false;
  }
}

bool needs_no_own_font(GUnicodeScript script) {
  return script == G_UNICODE_SCRIPT_LATIN || script == G_UNICODE_SCRIPT_COMMON ||
         script == G_UNICODE_SCRIPT_INHERITED || script == G_UNICODE_SCRIPT_UNKNOWN;
}

}  // namespace

std::string font_package(std::string_view text) {
  constexpr char32_t kFirstPictograph = 0x1F000;
  for (const char32_t character : utf8::decode(text)) {
    const GUnicodeScript script = g_unichar_get_script(character);
    if (is_chinese_japanese_or_korean(script)) return "fonts-noto-cjk";
    if (!needs_no_own_font(script)) return "fonts-noto-core";
    if (script == G_UNICODE_SCRIPT_COMMON && character >= kFirstPictograph)
      return "fonts-noto-color-emoji";
  }
  return "";
}

void GlyphWarnings::warn(std::string_view text) {
  const std::string package = font_package(text);
  const std::lock_guard lock(mutex_);
  if (package.empty() || !packages_.insert(package).second) return;
  log::warning(
      "no installed font can draw all of \"{}\", so pictures show boxes instead; install {}",
      excerpt(text), package);
}

}  // namespace attend::draw
