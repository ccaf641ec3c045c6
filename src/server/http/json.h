#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attend::server {

/// Returns the JSON text of `value`. Ill-formed UTF-8 in strings becomes U+FFFD.
[[nodiscard]] std::string dump(const nlohmann::json& value);

/// Parses the JSON object in a request's body. Throws ApiError for other text, ill-formed UTF-8 and
/// more than 32 levels of nesting.
[[nodiscard]] nlohmann::json parse_object(std::string_view body);

template <class T>
struct Range {
  T least;
  T most;
};

/// The fields of a request, read by name. Getters throw ApiError with the name of the field for a
/// value of the wrong type or out of range. Null counts as missing.
class Fields {
 public:
  /// Keeps a reference to `object`. `path`: prefix of names in messages ("sample.").
  explicit Fields(const nlohmann::json& object, std::string path = "");

  [[nodiscard]] std::optional<std::string> text(const std::string& name);
  [[nodiscard]] std::string required_text(const std::string& name);
  /// A string or a list of strings; empty if missing.
  [[nodiscard]] std::vector<std::string> texts(const std::string& name);
  [[nodiscard]] std::optional<bool> flag(const std::string& name);
  [[nodiscard]] std::optional<int64_t> integer(const std::string& name, Range<int64_t> range);
  [[nodiscard]] std::optional<double> number(const std::string& name, Range<double> range);
  [[nodiscard]] std::optional<std::string> choice(const std::string& name,
                                                  const std::vector<std::string>& choices);
  /// Null if missing.
  [[nodiscard]] const nlohmann::json* value(const std::string& name);

  /// Throws ApiError for a field that no getter has read, with the nearest known name.
  void refuse_others() const;

 private:
  const nlohmann::json& object_;
  std::string path_;
  std::set<std::string> known_;
};

}  // namespace attend::server
