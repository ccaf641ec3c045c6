# Writes a C++ source with files as strings:
#   cmake -D FOLDER=<their folder> -D FILES=<name,name,...> -D OUTPUT=<source to write> -P embed.cmake
# Raw strings keep the text as it is. C++ promises literals of 65,536 characters, so no file may be longer.
string(REPLACE "," ";" names "${FILES}")
set(entries "")
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}" text)
  string(FIND "${text}" ")page\"" clash)
  string(LENGTH "${text}" length)
  if(NOT clash EQUAL -1 OR length GREATER 65000)
    message(FATAL_ERROR "${name} cannot be embedded: it holds )page\" or is longer than 65,000 bytes")
  endif()
  string(APPEND entries "    {\"${name}\", R\"page(${text})page\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"server/page_files.h\"

namespace attend::server {
namespace {

constexpr PageFile kFiles[] = {
${entries}};

}  // namespace

std::span<const PageFile> page_files() {
  return kFiles;
}

}  // namespace attend::server
")
