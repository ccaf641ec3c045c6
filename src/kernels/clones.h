#pragma once

/// Before a function: compiles it for several generations of x86-64 and lets the program pick one
/// when it starts. What the function calls must be inlined to be compiled with it.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define ATTEND_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ATTEND_CLONES
#endif
