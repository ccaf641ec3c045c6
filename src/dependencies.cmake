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
find_package(Torch QUIET)
if(NOT Torch_FOUND)
  message(FATAL_ERROR "LibTorch was not found. On Debian 12: apt-get install libtorch-dev, "
                      "or pass an upstream LibTorch with -DCMAKE_PREFIX_PATH=/path/to/libtorch")
endif()
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

# LibTorch calls the library that is first to provide the BLAS symbols. We link the OpenMP flavour of OpenBLAS by its full
# path, because the pthread flavour competes with LibTorch's OpenMP threads and the reference BLAS is tens of times slower.
find_library(ATTEND_OPENBLAS openblas
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp NO_DEFAULT_PATH)
if(ATTEND_OPENBLAS)
  set(ATTEND_BLAS ${ATTEND_OPENBLAS})
else()
  set(BLA_SIZEOF_INTEGER 4)  # as attend and LibTorch call it
  find_package(BLAS QUIET)
  if(NOT BLAS_FOUND)
    message(FATAL_ERROR "No BLAS (the library for matrix products) was found. On Debian 12: "
                        "apt-get install libopenblas-openmp-dev; elsewhere install OpenBLAS, and pass its path with "
                        "-DATTEND_OPENBLAS=/path/to/libopenblas.so if it is outside the usual folders")
  endif()
  set(ATTEND_BLAS BLAS::BLAS)
  message(WARNING "OpenBLAS in its OpenMP flavour was not found (apt-get install libopenblas-openmp-dev, or "
                  "-DATTEND_OPENBLAS=/path/to/libopenblas.so): our products use ${BLAS_LIBRARIES}, and LibTorch "
                  "uses the BLAS that it was built with. Both may be much slower")
endif()

# Checks the BLAS now, so that linking does not fail at the end of the build. The name makes a new path be checked again.
include(CheckFunctionExists)
string(MAKE_C_IDENTIFIER "ATTEND_HAS_SGEMM_IN_${ATTEND_OPENBLAS}${BLAS_LIBRARIES}" has_sgemm)
set(CMAKE_REQUIRED_LIBRARIES ${ATTEND_BLAS})
check_function_exists(sgemm_ ${has_sgemm})
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT ${has_sgemm})
  message(FATAL_ERROR "${ATTEND_OPENBLAS}${BLAS_LIBRARIES} is not a usable BLAS: linking with its sgemm_ failed "
                      "(expected LP64, with 32-bit integers). On Debian 12: "
                      "apt-get install libopenblas-openmp-dev, and remove ATTEND_OPENBLAS from CMakeCache.txt")
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  attend_require(OpenMP libomp-dev COMPONENTS CXX)
else()
  attend_require(OpenMP g++ COMPONENTS CXX)
endif()
