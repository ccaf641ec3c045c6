# With clang, LibTorch does not compile against the C++20 standard library of GCC 12 and later. There the functions of
# std::vector are constexpr, and clang compiles constexpr functions at their first use, but LibTorch (ATen/core/List.h)
# uses those of a vector whose element type is complete only later. clang therefore gets the headers of GCC 11.
include(CheckCXXSourceCompiles)

set(ATTEND_OLDER_HEADERS /usr/include/c++/11 /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/c++/11)

# Sets `result` to true if code like LibTorch's compiles with `options`.
function(attend_check_vector_of_later result options)
  set(CMAKE_REQUIRED_FLAGS "${options}")
  check_cxx_source_compiles("
    #include <utility>
    #include <vector>
    struct Later;
    struct Holder {
      explicit Holder(std::vector<Later> later) : held(std::move(later)) {}
      std::vector<Later> held;
    };
    struct Later {};
    int main() { return Holder({}).held.empty() ? 0 : 1; }" ${result})
endfunction()

attend_check_vector_of_later(ATTEND_STANDARD_LIBRARY_FITS "")
if(NOT ATTEND_STANDARD_LIBRARY_FITS)
  list(TRANSFORM ATTEND_OLDER_HEADERS PREPEND "-isystem " OUTPUT_VARIABLE options)
  list(PREPEND options -nostdinc++)
  list(JOIN options " " joined)
  attend_check_vector_of_later(ATTEND_OLDER_STANDARD_LIBRARY_FITS "${joined}")
  if(ATTEND_OLDER_STANDARD_LIBRARY_FITS)
    list(TRANSFORM options PREPEND "SHELL:")
    add_compile_options(${options})
  else()
    set(severity FATAL_ERROR)
    if(ATTEND_BUILD_FUZZ)  # most fuzz targets do not need LibTorch
      set(severity WARNING)
    endif()
    message(${severity} "clang cannot compile LibTorch with the standard library of GCC 12 or later, and the one of GCC 11 "
                        "was not found. On Debian 12: apt-get install libstdc++-11-dev; or compile with GCC")
  endif()
endif()
