# Finds every third-party package. Nothing is downloaded: the error for a missing package names the command to install it.

# A macro, because the variables that a package sets are used later.
macro(attend_require package apt_name)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found. On Debian 12: apt-get install ${apt_name}\n"
                        "All packages at once: scripts/install_packages.sh")
  endif()
endmacro()

find_package(Threads REQUIRED)
include(src/libtorch.cmake)
attend_require(yaml-cpp libyaml-cpp-dev)
attend_require(fmt libfmt-dev)
attend_require(spdlog libspdlog-dev)
attend_require(CLI11 libcli11-dev)
attend_require(nlohmann_json nlohmann-json3-dev)
attend_require(ICU libicu-dev COMPONENTS uc i18n)
attend_require(ZLIB zlib1g-dev)
attend_require(Boost libboost-dev 1.74)  # Asio and Beast, header-only

attend_require(PkgConfig pkg-config)

# attend_require_module(<target> <apt_name> <module>...): makes PkgConfig::<target> from pkg-config modules.
function(attend_require_module target apt_name)
  pkg_check_modules(${target} QUIET IMPORTED_TARGET GLOBAL ${ARGN})
  if(NOT ${target}_FOUND)
    message(FATAL_ERROR "pkg-config did not find ${ARGN}. On Debian 12: apt-get install ${apt_name}\n"
                        "All packages at once: scripts/install_packages.sh")
  endif()
endfunction()
attend_require_module(sentencepiece libsentencepiece-dev sentencepiece)
attend_require_module(pangocairo "libpango1.0-dev libcairo2-dev" pangocairo cairo-svg cairo-png cairo-pdf)

include(src/blas.cmake)

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  attend_require(OpenMP libomp-dev COMPONENTS CXX)
else()
  attend_require(OpenMP g++ COMPONENTS CXX)
endif()
