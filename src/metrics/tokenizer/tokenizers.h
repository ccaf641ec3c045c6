#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace attend::metrics {

/// Puts whitespace between the tokens of a line. Input and output are well-formed UTF-8, and equal
/// lines give equal tokens.
using TokenizeFunction = std::string (*)(std::string_view line);

/// Finds the tokenizer that sacreBLEU calls `name`. Throws UsageError that lists the choices, or
/// says what to install for it.
[[nodiscard]] TokenizeFunction find_tokenizer(std::string_view name);

/// All names, for help texts.
[[nodiscard]] std::vector<std::string> tokenizer_names();

}  // namespace attend::metrics
