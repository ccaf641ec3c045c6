# Embeds the files of the page in a C++ source, ${server_page_source}, which defines the function of page_files.h. The
# scripts that draw tables and charts are those of src/draw/page.
set(server_page_source ${CMAKE_CURRENT_BINARY_DIR}/page_files.cpp)
set(server_page_folder ${CMAKE_CURRENT_LIST_DIR})
set(draw_page_folder ${CMAKE_CURRENT_LIST_DIR}/../../draw/page)
set(server_page_parts
  /=${server_page_folder}/index.html
  /attention.css=${draw_page_folder}/page.css)
foreach(name data.js matrix.js scene.js chart.js)
  list(APPEND server_page_parts /${name}=${draw_page_folder}/${name})
endforeach()
foreach(name page.css icon.svg api.js controls.js diff.js heatmap.js inside.js lines.js links.js main.js nearest.js panels.js parts.js
             requests.js roving.js runs.js save.js start.js state.js
             tree.js view.js why.js)
  list(APPEND server_page_parts /${name}=${server_page_folder}/${name})
endforeach()
set(server_page_paths ${server_page_parts})
list(TRANSFORM server_page_paths REPLACE "^[^=]*=" "")
string(REPLACE ";" "|" server_page_list "${server_page_parts}")
add_custom_command(OUTPUT ${server_page_source}
  COMMAND ${CMAKE_COMMAND} -D "PARTS=${server_page_list}" -D OUTPUT=${server_page_source}
          -P ${server_page_folder}/embed.cmake
  DEPENDS ${server_page_folder}/embed.cmake ${server_page_paths} VERBATIM)
