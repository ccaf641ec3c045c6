# LibTorch calls the library that is first to provide the BLAS symbols. We link the OpenMP flavour of OpenBLAS by its full
# path, because the pthread flavour competes with LibTorch's OpenMP threads and the reference BLAS is tens of times slower.
#
# A LibTorch for CUDA is an upstream one, which contains MKL: our own products call it there, and OpenBLAS is not needed.
include(CheckFunctionExists)
set(libtorch_blas OFF)
if(ATTEND_CUDA AND NOT ATTEND_OPENBLAS)
  set(CMAKE_REQUIRED_LIBRARIES "${ATTEND_TORCH_FOLDER}/lib/libtorch_cpu.so")
  check_function_exists(sgemm_ ATTEND_HAS_SGEMM_IN_LIBTORCH)
  unset(CMAKE_REQUIRED_LIBRARIES)
  set(libtorch_blas ${ATTEND_HAS_SGEMM_IN_LIBTORCH})
endif()
if(NOT libtorch_blas)
  find_library(ATTEND_OPENBLAS openblas
    PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp NO_DEFAULT_PATH)
endif()
if(libtorch_blas)
  set(ATTEND_BLAS "${ATTEND_TORCH_FOLDER}/lib/libtorch_cpu.so")
elseif(ATTEND_OPENBLAS)
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
string(MAKE_C_IDENTIFIER "ATTEND_HAS_SGEMM_IN_${ATTEND_OPENBLAS}${BLAS_LIBRARIES}" has_sgemm)
set(CMAKE_REQUIRED_LIBRARIES ${ATTEND_BLAS})
check_function_exists(sgemm_ ${has_sgemm})
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT ${has_sgemm})
  message(FATAL_ERROR "${ATTEND_OPENBLAS}${BLAS_LIBRARIES} is not a usable BLAS: linking with its sgemm_ failed "
                      "(expected LP64, with 32-bit integers). On Debian 12: "
                      "apt-get install libopenblas-openmp-dev, and remove ATTEND_OPENBLAS from CMakeCache.txt")
endif()
