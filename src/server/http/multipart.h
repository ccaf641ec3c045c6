#pragma once
#include <map>
#include <string>
#include <string_view>

namespace attend::server {

/// True if a Content-Type has this media type, ignoring case and parameters.
[[nodiscard]] bool is_media_type(std::string_view content_type, std::string_view type);

/// The fields of a form (multipart/form-data, RFC 7578). The first of several fields with one name
/// counts. Throws ApiError if the body does not have this form or `content_type` has no boundary.
[[nodiscard]] std::map<std::string, std::string> parse_multipart(std::string_view content_type,
                                                                 std::string_view body);

}  // namespace attend::server
