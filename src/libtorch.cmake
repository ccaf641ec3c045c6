# Finds LibTorch. One that was built for CUDA needs NVIDIA's toolkit and a C++ compiler with the same ABI. A mismatch is
# reported here, because errors of the compiler or linker would come late and name another cause. Sets ATTEND_CUDA.

# Sets `result` to the folder of the LibTorch that CMAKE_PREFIX_PATH or Torch_DIR names; empty if they name none.
function(attend_torch_folder result)
  string(REPLACE ":" ";" environment "$ENV{CMAKE_PREFIX_PATH}")
  set(${result} "" PARENT_SCOPE)
  foreach(folder ${Torch_DIR} ${Torch_ROOT} ${CMAKE_PREFIX_PATH} ${environment})
    foreach(place . Torch share/cmake/Torch)
      if(EXISTS "${folder}/${place}/TorchConfig.cmake")
        get_filename_component(root "${folder}/${place}/../../.." ABSOLUTE)
        set(${result} "${root}" PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endforeach()
endfunction()

# Sets `result` to the CUDA version that the LibTorch in `folder` was built for, such as 13.0; empty if unknown.
# A Python wheel says it in version.py, a LibTorch archive in build-version.
function(attend_cuda_of_torch result folder)
  set(${result} "" PARENT_SCOPE)
  if(EXISTS "${folder}/version.py")
    file(STRINGS "${folder}/version.py" lines REGEX "^cuda.*= *'")
    string(REGEX REPLACE ".*'([0-9.]+)'.*" "\\1" version "${lines}")
  elseif(EXISTS "${folder}/build-version")
    file(STRINGS "${folder}/build-version" lines REGEX "cu[0-9]+$")
    string(REGEX REPLACE ".*cu([0-9]+)([0-9])$" "\\1.\\2" version "${lines}")
  endif()
  if(version MATCHES "^[0-9]+\\.[0-9]+$")
    set(${result} ${version} PARENT_SCOPE)
  endif()
endfunction()

# Stops unless the CUDA compiler has the major version that LibTorch was built for.
macro(attend_require_cuda_compiler folder)
  include(CheckLanguage)
  check_language(CUDA)
  attend_cuda_of_torch(ATTEND_CUDA_OF_TORCH "${folder}")
  set(wanted "CUDA toolkit ${ATTEND_CUDA_OF_TORCH}")
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "The LibTorch in ${folder} was built for CUDA, but no CUDA compiler was found. Install NVIDIA's "
                        "${wanted} and pass -DCMAKE_CUDA_COMPILER=/path/to/nvcc, or use a LibTorch for the CPU")
  endif()
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --version OUTPUT_VARIABLE output)
  string(REGEX REPLACE ".*release ([0-9]+\\.[0-9]+).*" "\\1" found "${output}")
  string(REGEX REPLACE "\\..*" "" found_major "${found}")
  string(REGEX REPLACE "\\..*" "" wanted_major "${ATTEND_CUDA_OF_TORCH}")
  if(wanted_major AND NOT found_major EQUAL wanted_major)
    message(FATAL_ERROR "The LibTorch in ${folder} was built for CUDA ${ATTEND_CUDA_OF_TORCH}, but ${CMAKE_CUDA_COMPILER} "
                        "is of CUDA ${found}. Install NVIDIA's ${wanted} and pass -DCMAKE_CUDA_COMPILER=/path/to/nvcc")
  endif()
endmacro()

# Enables the CUDA language for the architectures in CMAKE_CUDA_ARCHITECTURES. LibTorch's own CMake files, which come next,
# warn about that variable and look for a GPU unless TORCH_CUDA_ARCH_LIST is set; ATTEND_CUDA_ARCHITECTURES keeps the value.
macro(attend_enable_cuda)
  if(CMAKE_CUDA_ARCHITECTURES)
    set(ATTEND_CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}" CACHE STRING "GPU architectures" FORCE)
  else()
    set(ATTEND_CUDA_ARCHITECTURES "80;90;100" CACHE STRING "GPU architectures")
    set(CMAKE_CUDA_ARCHITECTURES "${ATTEND_CUDA_ARCHITECTURES}")
  endif()
  set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
  enable_language(CUDA)
  unset(CMAKE_CUDA_ARCHITECTURES)
  unset(CMAKE_CUDA_ARCHITECTURES CACHE)
  set(TORCH_CUDA_ARCH_LIST "8.0")
  set(CMAKE_CUDA_STANDARD 20)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # unknown to CMake 3.25.1
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # LibTorch's
  get_filename_component(CUDA_TOOLKIT_ROOT_DIR "${CMAKE_CUDA_COMPILER}/../.." ABSOLUTE)
endmacro()

attend_torch_folder(ATTEND_TORCH_FOLDER)
set(ATTEND_CUDA OFF)
if(ATTEND_TORCH_FOLDER AND EXISTS "${ATTEND_TORCH_FOLDER}/lib/libtorch_cuda.so")
  attend_require_cuda_compiler("${ATTEND_TORCH_FOLDER}")
  attend_enable_cuda()
  set(ATTEND_CUDA ON)
endif()
set(own_cuda_flags "${CMAKE_CUDA_FLAGS}")
find_package(Torch QUIET)
set(CMAKE_CUDA_FLAGS "${own_cuda_flags}")  # LibTorch's files append flags of its own build

if(TORCH_CXX_FLAGS MATCHES "_GLIBCXX_USE_CXX11_ABI=0")
  message(FATAL_ERROR "The LibTorch in ${TORCH_INSTALL_PREFIX} has the old C++ ABI, so it cannot be linked with this system's "
                      "libraries. Use a LibTorch with the new ABI: every Python wheel from 2.7 on, or an archive whose name "
                      "contains cxx11-abi")
endif()
if(NOT Torch_FOUND)
  message(FATAL_ERROR "LibTorch was not found. On Debian 12: apt-get install libtorch-dev, "
                      "or pass an upstream LibTorch with -DCMAKE_PREFIX_PATH=/path/to/libtorch")
endif()
# The program has one OpenMP runtime; a recent upstream LibTorch brings it.
if(EXISTS "${TORCH_INSTALL_PREFIX}/lib/libgomp.so.1" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(OpenMP_gomp_LIBRARY "${TORCH_INSTALL_PREFIX}/lib/libgomp.so.1" CACHE FILEPATH "LibTorch's OpenMP runtime")
endif()
