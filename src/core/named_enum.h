#pragma once
// Enums whose values have names in configs, on command lines and in messages. Each enum needs one
// table in its namespace, which argument-dependent lookup finds:
//
//   enum class Shape { square, circle };
//   constexpr auto name_table(Shape) {
//     return std::to_array<NamedValue<Shape>>({{Shape::square, "square"}, {Shape::circle,
//     "circle"}});
//   }
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace attend {

/// A value of an enum, the name that users write, and a phrase that explains it (may be empty).
template <class Enum>
struct NamedValue {
  Enum value;
  std::string_view name;
  std::string_view meaning = "";
};

template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires(Enum value) {
  name_table(value);
};

/// The name of `value`. Requires: the table has it.
template <NamedEnum Enum>
[[nodiscard]] constexpr std::string_view enum_name(Enum value) {
  for (const auto& entry : name_table(Enum{})) {
    if (entry.value == value) return entry.name;
  }
  return "";
}

/// The value called `name`, if there is one.
template <NamedEnum Enum>
[[nodiscard]] constexpr std::optional<Enum> enum_value(std::string_view name) {
  for (const auto& entry : name_table(Enum{})) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

/// All values, in the order of the table.
template <NamedEnum Enum>
[[nodiscard]] std::vector<Enum> enum_values() {
  std::vector<Enum> values;
  for (const auto& entry : name_table(Enum{})) values.push_back(entry.value);
  return values;
}

/// All names, in the order of the table.
template <NamedEnum Enum>
[[nodiscard]] std::vector<std::string> enum_names() {
  std::vector<std::string> names;
  for (const auto& entry : name_table(Enum{})) names.emplace_back(entry.name);
  return names;
}

/// Returns a line "  name: meaning" for each value, with a line feed before it.
template <NamedEnum Enum>
[[nodiscard]] std::string enum_meanings() {
  std::string text;
  for (const auto& entry : name_table(Enum{}))
    text += fmt::format("\n  {}: {}", entry.name, entry.meaning);
  return text;
}

/// True if `value` is one of `values`.
template <class Enum>
[[nodiscard]] constexpr bool is_one_of(Enum value, std::initializer_list<Enum> values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace attend

/// fmt prints the name.
template <attend::NamedEnum Enum>
struct fmt::formatter<Enum> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(Enum value, Context& context) const {
    return fmt::formatter<std::string_view>::format(attend::enum_name(value), context);
  }
};
