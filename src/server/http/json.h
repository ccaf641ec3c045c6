#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attend::server {

/// Ill-formed UTF-8 in strings becomes U+FFFD.
[[nodiscard]] std::string dump(const nlohmann::json& value);

/// The object in a request's body. Throws ApiError for text that is no JSON object, ill-formed
/// UTF-8 and values nested more than 32 deep.
[[nodiscard]] nlohmann::json parse_object(std::string_view body);

/// A bounded number.
template <class T>
struct Range {
  T least;
  T most;
};

/// The fields of a request, read by name. Getters throw ApiError, naming the field, for a value of
/// another type or out of range; null counts as left out.
class Fields {
 public:
  /// Borrows `object`. `path`: what comes before the names in messages ("sample.").
  explicit Fields(const nlohmann::json& object, std::string path = "");

  [[nodiscard]] std::optional<std::string> text(const std::string& name);
  [[nodiscard]] std::string required_text(const std::string& name);
  /// A string or a list of them; nothing if left out.
  [[nodiscard]] std::vector<std::string> texts(const std::string& name);
  [[nodiscard]] std::optional<bool> flag(const std::string& name);
  [[nodiscard]] std::optional<int64_t> integer(const std::string& name, Range<int64_t> range);
  [[nodiscard]] std::optional<double> number(const std::string& name, Range<double> range);
  [[nodiscard]] std::optional<std::string> choice(const std::string& name,
                                                  const std::vector<std::string>& choices);
  /// Null if left out.
  [[nodiscard]] const nlohmann::json* value(const std::string& name);

  /// Throws ApiError for a field that no getter asked for, with the nearest name.
  void refuse_others() const;

 private:
  const nlohmann::json& object_;
  std::string path_;
  std::set<std::string> known_;
};

}  // namespace attend::server
