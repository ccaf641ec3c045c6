#pragma once
#include <string>
#include <string_view>

namespace attend::test {

/// `text` as the bytes of a gzip file.
[[nodiscard]] std::string gzip(std::string_view text);

}  // namespace attend::test
