#pragma once
#include <fmt/format.h>

#include <optional>
#include <string>

namespace attend::config {

/// The values that a number may have, made by any(), at_least(), above() and so on. A range
/// converts between number types, so that at_least(1) fits both integer and number fields.
template <class Number>
struct Range {
  struct Bound {
    Number value;
    bool inclusive;
  };
  std::optional<Bound> lower;
  std::optional<Bound> upper;

  template <class Other>
  operator Range<Other>() const {  // NOLINT(google-explicit-constructor): the point of it
    Range<Other> other;
    if (lower) other.lower = {static_cast<Other>(lower->value), lower->inclusive};
    if (upper) other.upper = {static_cast<Other>(upper->value), upper->inclusive};
    return other;
  }

  [[nodiscard]] bool contains(Number value) const {
    if (lower && (value < lower->value || (value == lower->value && !lower->inclusive)))
      return false;
    return !upper || value < upper->value || (value == upper->value && upper->inclusive);
  }
};

/// No limits.
template <class Number = double>
[[nodiscard]] Range<Number> any() {
  return {};
}

/// least <= x <= most.
template <class Number>
[[nodiscard]] Range<Number> in_range(Number least, Number most) {
  Range<Number> range;
  range.lower = {least, true};
  range.upper = {most, true};
  return range;
}

/// least <= x < end.
template <class Number>
[[nodiscard]] Range<Number> from_to_below(Number least, Number end) {
  Range<Number> range;
  range.lower = {least, true};
  range.upper = {end, false};
  return range;
}

/// least <= x.
template <class Number>
[[nodiscard]] Range<Number> at_least(Number least) {
  Range<Number> range;
  range.lower = {least, true};
  return range;
}

/// bound < x.
template <class Number>
[[nodiscard]] Range<Number> above(Number bound) {
  Range<Number> range;
  range.lower = {bound, false};
  return range;
}

/// Formats a range: "at least 1", "above 0", "0 to 1", "0 to below 1"; empty for no limits.
template <class Number>
[[nodiscard]] std::string to_string(const Range<Number>& range) {
  if (range.lower && range.upper) {
    return fmt::format("{}{} to {}{}", range.lower->inclusive ? "" : "above ", range.lower->value,
                       range.upper->inclusive ? "" : "below ", range.upper->value);
  }
  if (range.lower)
    return fmt::format("{} {}", range.lower->inclusive ? "at least" : "above", range.lower->value);
  if (range.upper)
    return fmt::format("{} {}", range.upper->inclusive ? "at most" : "below", range.upper->value);
  return "";
}

}  // namespace attend::config
