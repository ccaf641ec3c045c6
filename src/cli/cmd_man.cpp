#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/reference/man_page.h"
#include "cli/start_runtime.h"
#include "core/error.h"
#include "core/file.h"

namespace attend::cli {

namespace {

struct ManCommand {
  std::string command;
  std::string folder;
};

PageOrigin page_origin() {
  return {version(), ATTEND_RELEASE_DATE};
}

void print_page(const ManCommand& options, const ProgramTable& table) {
  OutputFile output("-");
  const auto found = std::ranges::find(table.commands, options.command, &CommandEntry::name);
  output.write(found == table.commands.end() ? program_man_page(table, page_origin())
                                             : command_man_page(table, *found, page_origin()));
  output.commit();
}

void write_pages(const std::filesystem::path& folder, const ProgramTable& table) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw DataError(folder, "cannot create the folder: " + error.message());
  write_file_atomically(folder / man_page_file(), program_man_page(table, page_origin()));
  for (const CommandEntry& command : table.commands) {
    write_file_atomically(folder / man_page_file(command.name),
                          command_man_page(table, command, page_origin()));
  }
}

void run_man(const ManCommand& options, CLI::App& command) {
  const ProgramTable table = program_table(*command.get_parent());
  if (options.folder.empty()) return print_page(options, table);
  if (!options.command.empty())
    throw UsageError("--folder writes the pages of all commands; leave out the command");
  write_pages(options.folder, table);
}

}  // namespace

void add_man(CLI::App& command) {
  const auto options = std::make_shared<ManCommand>();
  command
      .add_option("COMMAND", options->command,
                  "Print the page of this command (default: that of attend)")
      ->check(one_of(command_names()))
      ->type_name("COMMAND");
  command
      .add_option("--folder", options->folder, "Write the pages of all commands into this folder")
      ->type_name("DIR");
  command.footer("Example:\n  attend man train | man -l -");
  command.callback([options, &command] { run_man(*options, command); });
}

}  // namespace attend::cli
