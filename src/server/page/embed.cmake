# Writes a C++ source with the files of the page as raw strings:
#   cmake -D "PARTS=/=<file>|/page.css=<file>|..." -D OUTPUT=<source to write> -P embed.cmake
# C++ guarantees literals of 65,536 characters, so each file must be shorter.
set(type_of_html "text/html; charset=utf-8")
set(type_of_css "text/css; charset=utf-8")
set(type_of_js "text/javascript; charset=utf-8")
set(type_of_svg "image/svg+xml")
set(entries "")
string(REPLACE "|" ";" PARTS "${PARTS}")
foreach(part IN LISTS PARTS)
  string(REGEX MATCH "^([^=]*)=(.*\\.([a-z]+))$" whole "${part}")
  set(path "${CMAKE_MATCH_1}")
  set(file "${CMAKE_MATCH_2}")
  set(type "${type_of_${CMAKE_MATCH_3}}")
  file(READ "${file}" text)
  string(FIND "${text}" ")page\"" clash)
  string(LENGTH "${text}" length)
  if(NOT clash EQUAL -1 OR length GREATER 65000 OR type STREQUAL "")
    message(FATAL_ERROR "${file} cannot be embedded: it contains )page\", exceeds 65,000 bytes or has an unknown type")
  endif()
  string(APPEND entries "    {\"${path}\", \"${type}\", R\"page(${text})page\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"server/page/page_files.h\"

namespace attend::server {
namespace {

constexpr PageFile kPageFiles[] = {
${entries}};

}  // namespace

std::span<const PageFile> page_files() {
  return kPageFiles;
}

}  // namespace attend::server
")
