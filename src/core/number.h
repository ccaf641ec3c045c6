#pragma once
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace attend {

/// All of `text` as a number: digits, with a minus sign if Number has one, and for floating point a
/// fraction, an exponent, "inf" and "nan". Nothing if the text is anything else, such as "" or
/// "+1", or if the number does not fit.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

}  // namespace attend
