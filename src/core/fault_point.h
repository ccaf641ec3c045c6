#pragma once
#include <filesystem>
#include <string_view>

namespace attend {

/// A point at which a test can make the program fail or die, as a full disk or a power cut would.
/// Every step of writing a file and every milestone of training has one. Returns the errno to fail
/// with, or 0 to continue (always 0 outside tests). `what` and the file name of `file` form the
/// point's name ("rename last.state"). Plans count points "memory ..." only if `only` names them.
[[nodiscard]] int fault_point(std::string_view what, const std::filesystem::path& file = {});

/// A fault point that cannot fail: a test can only kill the process there.
void mark_point(std::string_view what);

/// Replaces the fault plan. The initial plan is the environment variable ATTEND_FAULTS; an empty
/// plan switches faults off. A plan is a comma-separated list of settings:
///   kill=N      kills the process with SIGKILL at the Nth point (from 1)
///   fail=N      makes the Nth point and all later ones fail with "no space left"
///   fail=N-M    makes points N to M fail
///   only=TEXT   counts only points whose name contains TEXT
///   after=TEXT  starts counting after the first point whose name contains TEXT
///   trace=FILE  appends the name of every point to FILE before the point is executed
/// Throws UsageError for anything else. Not safe beside fault_point() on another thread.
void plan_faults(std::string_view plan);

}  // namespace attend
