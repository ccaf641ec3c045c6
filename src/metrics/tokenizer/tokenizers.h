#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace attend::metrics {

/// Puts whitespace between the tokens of a line. Pure function; input and output are well-formed
/// UTF-8.
using TokenizeFunction = std::string (*)(std::string_view line);

/// Finds the tokenizer that sacreBLEU calls `name`. Throws UsageError that lists the choices.
[[nodiscard]] TokenizeFunction find_tokenizer(std::string_view name);

/// All names, for help texts.
[[nodiscard]] std::vector<std::string> tokenizer_names();

}  // namespace attend::metrics
