#pragma once
#include <string>
#include <string_view>

namespace attend::metrics {

/// True if MeCab's library and its IPA dictionary are installed (Debian: libmecab2,
/// mecab-ipadic-utf8).
[[nodiscard]] bool has_mecab();

/// Throws UsageError that says what to install if has_mecab() is false.
void require_mecab();

/// Splits Japanese text into words like sacreBLEU's ja-mecab: MeCab with the IPA dictionary, which
/// has one more entry in Debian. Throws as require_mecab(). Thread-safe.
[[nodiscard]] std::string tokenize_ja_mecab(std::string_view line);

}  // namespace attend::metrics
