# cpack -G DEB: the Debian package of the program (scripts/package.sh). Adds to the files of cmake --install the service of
# attend serve and the documents that Debian asks for; their sources are in scripts/package.
set(ATTEND_MAINTAINER "" CACHE STRING "Maintainer of the Debian package: Name <address>")
set(package_files ${PROJECT_SOURCE_DIR}/scripts/package)

execute_process(COMMAND date -u -R -d ${ATTEND_RELEASE_DATE} OUTPUT_VARIABLE release_date OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
configure_file(${package_files}/changelog.in changelog.Debian @ONLY)
execute_process(COMMAND gzip -9nf changelog.Debian WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian.gz ${package_files}/copyright DESTINATION share/doc/attend)
install(FILES ${package_files}/lintian-overrides DESTINATION share/lintian/overrides RENAME attend)
install(FILES ${package_files}/attend.service DESTINATION lib/systemd/system)
install(FILES ${package_files}/attend.default DESTINATION /etc/default RENAME attend)
install(DIRECTORY DESTINATION /var/lib/attend/models)

set(CPACK_PACKAGE_NAME attend)
set(CPACK_PACKAGE_CONTACT ${ATTEND_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "trains and runs translation models with attention")
set(CPACK_PACKAGE_DESCRIPTION
"attend trains sequence-to-sequence translation models with attention,
recurrent ones and Transformers, from two text files and a short config.
It translates, scores, evaluates and aligns with them, draws their attention,
and serves them over HTTP with a web page.
.
A small corpus and recipes to start from are in /usr/share/attend.")
set(CPACK_SET_DESTDIR ON)  # for /etc and /var
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The dependencies found by dpkg-shlibdeps allow any flavour of OpenBLAS.
set(CPACK_DEBIAN_PACKAGE_DEPENDS libopenblas0-openmp)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS man-db)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${package_files}/conffiles ${package_files}/postinst ${package_files}/prerm
    ${package_files}/postrm)
include(CPack)
