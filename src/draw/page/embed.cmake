# Writes a C++ source with the files of this folder as raw strings:
#   cmake -D FOLDER=<this folder> -D OUTPUT=<source to write> -P embed.cmake
# C++ guarantees literals of 65,536 characters, so each file must be shorter. Scripts are joined.
set(source "#include \"draw/page_files.h\"\n\nnamespace attend::draw {\n")

function(append_literal file)
  file(READ "${FOLDER}/${file}" text)
  string(FIND "${text}" ")page\"" clash)
  string(LENGTH "${text}" length)
  if(NOT clash EQUAL -1 OR length GREATER 65000)
    message(FATAL_ERROR "${file} cannot be embedded: it contains )page\" or exceeds 65,000 bytes")
  endif()
  set(source "${source}R\"page(${text})page\"" PARENT_SCOPE)
endfunction()

function(append_function name)
  string(APPEND source "\nstd::string_view ${name}() {\n  return ")
  foreach(file ${ARGN})
    append_literal("${file}")
    string(APPEND source "\n         ")
  endforeach()
  set(source "${source};\n}\n" PARENT_SCOPE)
endfunction()

append_function(page_html page.html)
append_function(page_style page.css)
append_function(page_script data.js matrix.js app.js pointer.js)
append_function(report_style report.css)
append_function(report_script scene.js chart.js report.js)
string(APPEND source "\n}  // namespace attend::draw\n")
file(WRITE "${OUTPUT}" "${source}")
