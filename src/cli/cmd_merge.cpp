#include <memory>
#include <string>
#include <vector>

#include "app/lines/merge_shards.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "core/log.h"

namespace attend::cli {
namespace {

struct MergeCommand {
  LogOptions log;
  std::vector<std::string> shards;
  std::string output = "-";
};

void run_merge(const MergeCommand& command) {
  std::vector<std::string> inputs = command.shards;
  for (const std::string& shard : command.shards) inputs.push_back(shard + ".shard");
  check_log_file(command.log, {command.output}, inputs);
  check_inputs_kept({command.output}, command.shards);
  set_up_log(command.log);
  const int64_t lines =
      app::merge_shards({command.shards.begin(), command.shards.end()}, command.output);
  log::info("merged {} shards: {} lines", command.shards.size(), lines);
}

}  // namespace

void add_merge(CLI::App& command) {
  const auto options = std::make_shared<MergeCommand>();
  command
      .add_option("SHARD", options->shards,
                  "Outputs of attend translate --shard in any order, each with its .shard file")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--output", options->output,
                  "Write translations here (default -: standard output)")
      ->type_name("FILE");
  add_log_options(command, options->log);
  command.footer("Example:\n  attend merge out.1 out.2 out.3 out.4 --output out");
  command.callback([options] { run_merge(*options); });
}

}  // namespace attend::cli
