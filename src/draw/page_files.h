#pragma once
#include <string_view>

namespace attend::draw {

/// The files of src/draw/page as the build found them (embed.cmake there writes the source). In
/// the HTML, {{title}}, {{style}}, {{about}}, {{data}} and {{script}} stand for what the writer of
/// the page puts there.
[[nodiscard]] std::string_view page_html();
[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view page_script();

}  // namespace attend::draw
