# clang compiles constexpr functions where they are first used, and LibTorch (ATen/core/List.h) uses those of a std::vector
# whose class is complete only later. In C++20 they are constexpr in the standard library of GCC 12 and later, so that
# clang needs the headers of an older one, whatever else the machine has.
include(CheckCXXSourceCompiles)

set(ATTEND_OLDER_HEADERS /usr/include/c++/11 /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/c++/11)

# Whether what LibTorch does compiles with `options`.
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
    if(ATTEND_BUILD_FUZZ)  # what is fuzzed does without LibTorch
      set(severity WARNING)
    endif()
    message(${severity} "clang cannot compile LibTorch with the standard library of GCC 12 or later, and that of GCC 11 was "
                        "not found. On Debian 12: apt-get install libstdc++-11-dev; or compile with GCC")
  endif()
endif()
