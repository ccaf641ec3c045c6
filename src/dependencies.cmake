# Every third-party package, found once. Nothing is downloaded: a missing package names the command that installs it.

function(attend_require package apt_name)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found. On Debian 12: apt-get install ${apt_name}\n"
                        "All packages at once: scripts/install_packages.sh")
  endif()
endfunction()

find_package(Threads REQUIRED)
find_package(Torch QUIET)
if(NOT Torch_FOUND)
  message(FATAL_ERROR "LibTorch was not found. On Debian 12: apt-get install libtorch-dev, "
                      "or give an upstream LibTorch with -DCMAKE_PREFIX_PATH=/path/to/libtorch")
endif()
attend_require(yaml-cpp libyaml-cpp-dev)
attend_require(fmt libfmt-dev)
attend_require(spdlog libspdlog-dev)
attend_require(CLI11 libcli11-dev)
attend_require(nlohmann_json nlohmann-json3-dev)
attend_require(ICU libicu-dev COMPONENTS uc i18n)
attend_require(ZLIB zlib1g-dev)

find_package(PkgConfig REQUIRED)
pkg_check_modules(sentencepiece REQUIRED IMPORTED_TARGET sentencepiece)
pkg_check_modules(pangocairo REQUIRED IMPORTED_TARGET pangocairo cairo-svg cairo-png cairo-pdf)

# LibTorch calls whatever library provides the BLAS symbols first. We put the OpenMP flavour of OpenBLAS there by its
# full path, because the pthread flavour fights with LibTorch's own OpenMP threads and the reference BLAS is tens of
# times slower.
find_library(ATTEND_OPENBLAS openblas
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp NO_DEFAULT_PATH)
if(NOT ATTEND_OPENBLAS)
  find_package(BLAS QUIET)
  if(NOT BLAS_FOUND)
    message(FATAL_ERROR "No BLAS was found, which computes matrix products. On Debian 12: "
                        "apt-get install libopenblas-openmp-dev")
  endif()
  message(WARNING "OpenBLAS in its OpenMP flavour was not found (apt-get install libopenblas-openmp-dev): our products "
                  "use ${BLAS_LIBRARIES}, and LibTorch the BLAS that it was built with. Both may be much slower")
endif()

# oneDNN multiplies packed weights in f32 where the CPU has no AVX-512, and in int8 where it has VNNI. Debian's LibTorch
# uses this very library; an upstream LibTorch has one of its own inside, which a second would clash with.
find_path(ATTEND_ONEDNN_INCLUDE dnnl.hpp)
find_library(ATTEND_ONEDNN dnnl)
if(Torch_VERSION VERSION_GREATER_EQUAL 2)
  set(ATTEND_ONEDNN ATTEND_ONEDNN-NOTFOUND)
elseif(NOT ATTEND_ONEDNN OR NOT ATTEND_ONEDNN_INCLUDE)
  message(FATAL_ERROR "oneDNN was not found. On Debian 12: apt-get install libdnnl-dev")
endif()
find_package(OpenMP REQUIRED COMPONENTS CXX)
