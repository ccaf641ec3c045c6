#pragma once
#include <string_view>

namespace attend::draw {

// The files of src/draw/page, which embed.cmake compiles in.

/// The attention page. {{title}}, {{style}}, {{about}}, {{data}} and {{script}} are placeholders
/// that AttentionPage fills.
[[nodiscard]] std::string_view page_html();
[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view page_script();

/// Style and script of a training report. The script reads curves as JSON from the element "curves"
/// (report.js) and draws them into the element "charts".
[[nodiscard]] std::string_view report_style();
[[nodiscard]] std::string_view report_script();

}  // namespace attend::draw
