# cmake --install: the program, its module, manual pages, completions, and the quickstart corpus with the recipes, in the
# folders of GNUInstallDirs. The program finds its parts relative to itself, so the installed tree can be moved.
include(GNUInstallDirs)
set(ATTEND_ZSH_FOLDER "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" CACHE STRING
    "Folder of the zsh completion, relative to the prefix")
mark_as_advanced(ATTEND_ZSH_FOLDER)

# CMake leaves folders inside this one out of the search path of the installed program, but LibTorch may be in one.
foreach(library "${ATTEND_TORCH_FOLDER}/lib/libtorch.so" "${ATTEND_NCCL_LIBRARY}")
  if(EXISTS "${library}" AND ATTEND_TORCH_FOLDER)
    get_filename_component(folder "${library}" DIRECTORY)
    set_property(TARGET attend APPEND PROPERTY INSTALL_RPATH "${folder}")
  endif()
endforeach()

install(TARGETS attend RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/attend FILES_MATCHING PATTERN "*.yaml")
install(DIRECTORY data/quickstart DESTINATION ${CMAKE_INSTALL_DATADIR}/attend/data)
# README.md links to the guides and the changelog.
file(GLOB_RECURSE guides RELATIVE ${PROJECT_SOURCE_DIR} src/*.md configs/*.md)
foreach(guide README.md ${guides})
  get_filename_component(folder ${guide} DIRECTORY)
  install(FILES ${guide} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
install(FILES .github/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
if(NOT ATTEND_DEBIAN_PACKAGE)  # which has it in its copyright file
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

# The program writes its manual pages and completions itself. This needs a program that runs on this machine.
if(NOT CMAKE_CROSSCOMPILING AND NOT ATTEND_SANITIZE)
  set(reference ${CMAKE_BINARY_DIR}/reference)
  add_custom_command(OUTPUT ${reference}/attend.bash ${reference}/attend.fish ${reference}/_attend
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${reference}
    COMMAND attend man --folder ${reference}/man1
    COMMAND sh -c "gzip -9n '${reference}/man1/'*.1"
    COMMAND attend completion bash > ${reference}/attend.bash
    COMMAND attend completion fish > ${reference}/attend.fish
    COMMAND attend completion zsh > ${reference}/_attend
    DEPENDS attend COMMENT "Writing the manual pages and completions" VERBATIM)
  add_custom_target(attend_reference ALL DEPENDS ${reference}/attend.bash)
  install(DIRECTORY ${reference}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${reference}/attend.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME attend)
  install(FILES ${reference}/attend.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${reference}/_attend DESTINATION ${ATTEND_ZSH_FOLDER})
endif()
