#pragma once
#include <filesystem>
#include <string_view>

namespace attend {

/// A moment at which a test can make the program fail or die, as a full disk or a power cut would:
/// every step of writing a file, and milestones of training. Returns the errno to fail with; 0, as
/// always outside tests: go on. `what` and the name of `file` are the moment's name ("rename
/// last.state").
[[nodiscard]] int fault_point(std::string_view what, const std::filesystem::path& file = {});

/// For moments that cannot fail, only be the last.
void mark_point(std::string_view what);

/// Replaces the plan, which starts as the environment variable ATTEND_FAULTS says; an empty one
/// switches faults off. Settings, between commas:
///   kill=N      the process ends by SIGKILL at the Nth moment (from 1)
///   fail=N      the Nth moment and all after it fail with "no space left"
///   fail=N-M    those from the Nth to the Mth do
///   only=TEXT   counts only moments whose name contains the text
///   after=TEXT  begins to count after the first moment whose name contains the text
///   trace=FILE  appends the name of every moment to the file, before it happens
/// Throws UsageError for anything else.
void plan_faults(std::string_view plan);

}  // namespace attend
