#pragma once
#include <string>

#include "cli/reference/program_table.h"

namespace attend::cli {

/// The name and date in the header and footer of every page.
struct PageOrigin {
  std::string version;  ///< "attend 0.2.0"
  std::string date;     ///< of the release, "2026-11-27"
};

/// "attend.1" for the program, "attend-train.1" for a command.
[[nodiscard]] std::string man_page_file(const std::string& command = "");

/// The manual page attend(1) of the program, in the man macros of troff.
[[nodiscard]] std::string program_man_page(const ProgramTable& table, const PageOrigin& origin);

/// The manual page of one command. The program's footer gives the exit codes.
[[nodiscard]] std::string command_man_page(const ProgramTable& table, const CommandEntry& command,
                                           const PageOrigin& origin);

}  // namespace attend::cli
