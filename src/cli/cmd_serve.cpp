#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/start_runtime.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/number.h"
#include "core/signal.h"
#include "decode/options.h"
#include "server/server.h"
#include "storage/model_folder.h"

namespace attend::cli {

namespace {

struct ServeCommand {
  CommonOptions common;
  std::vector<std::string> models;
  std::string models_folder;
  std::vector<std::string> glossaries;
  std::string listen = "127.0.0.1:8080";
  std::vector<std::string> host_names;
  std::string runs;
  std::string token_file;
  std::optional<decode::Precision> precision;
  int64_t max_batch = 64;
  int64_t max_wait_ms = 5;
  int64_t max_queue = 4096;
  int64_t max_body_kb = 1024;
  bool dry_run = false;
};

/// Parses an address such as "127.0.0.1:8080", "[::1]:8080" or "localhost:0".
void set_address(const std::string& text, server::ServerOptions& options) {
  const std::size_t colon = text.rfind(':');
  const std::string_view port =
      colon == std::string::npos ? std::string_view() : std::string_view(text).substr(colon + 1);
  const auto number = number_in<decltype(options.port)>(port);
  if (!number) {
    throw UsageError(fmt::format(
        "--listen {}: expected ADDRESS:PORT with a port from 0 to 65535 (example: 127.0.0.1:8080)",
        text));
  }
  options.port = *number;
  options.host = text.substr(0, colon);
  if (options.host.starts_with('[') && options.host.ends_with(']'))
    options.host = options.host.substr(1, options.host.size() - 2);
}

std::string token_in(const std::string& file) {
  std::string token = read_file(file);
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  const bool printable =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 127; });
  if (!token.empty() && printable) return token;
  throw DataError(file, "expected a token: one line of printable ASCII characters without spaces");
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

server::ServerOptions server_options(const ServeCommand& command, int64_t threads) {
  server::ServerOptions options;
  set_address(command.listen, options);
  options.host_names = command.host_names;
  options.runs = command.runs;
  if (!command.token_file.empty()) options.token = token_in(command.token_file);
  options.shows_training_text = is_loopback(options.host) || !options.token.empty();
  options.batch = {.most_lines = command.max_batch,
                   .wait = std::chrono::milliseconds(command.max_wait_ms),
                   .most_waiting = command.max_queue,
                   .threads = threads};
  if (command.common.seed) options.seed = static_cast<uint64_t>(*command.common.seed);
  options.limits.body = static_cast<std::size_t>(command.max_body_kb) << 10;
  return options;
}

void check(const ServeCommand& command) {
  if (command.models.empty() && command.models_folder.empty() && command.runs.empty())
    throw UsageError("nothing to serve; give --model DIR, --models DIR or --runs DIR");
  if (!command.runs.empty() && !std::filesystem::is_directory(command.runs))
    throw DataError(command.runs, "no such folder; --runs takes the folder that holds the runs");
}

/// The models of --model, then those in the folder of --models, by name.
std::vector<std::string> served_models(const ServeCommand& command) {
  std::vector<std::string> models = command.models;
  if (command.models_folder.empty()) return models;
  const std::filesystem::path folder = command.models_folder;
  if (!std::filesystem::is_directory(folder))
    throw DataError(folder, "no such folder; --models takes the folder that holds the models");
  const auto given = static_cast<std::ptrdiff_t>(models.size());
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (std::filesystem::exists(entry.path() / storage::model_folder::kConfig))
      models.push_back(entry.path().filename().string() + "=" + entry.path().string());
  }
  std::sort(models.begin() + given, models.end());
  if (models.empty()) {
    throw DataError(folder, fmt::format("holds no model; expected folders with a {} in it",
                                        storage::model_folder::kConfig));
  }
  return models;
}

void announce(const server::Server& server, const server::ServerOptions& options) {
  const std::string host =
      options.host.find(':') == std::string::npos ? options.host : "[" + options.host + "]";
  if (!is_loopback(options.host) && options.token.empty()) {
    log::warning("everyone who can reach {} may use this server; require a token with --token-file",
                 host);
  }
  log::info("serving at http://{}:{}/ (stop with Ctrl-C)", host, server.port());
}

/// Stops the server after a signal.
class SignalWatch {
 public:
  explicit SignalWatch(server::Server& server) : thread_([this, &server] { watch(server); }) {}
  ~SignalWatch() {
    done_ = true;
    thread_.join();
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void watch(server::Server& server) const {
    while (!done_ && requested_stop() == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (!done_) log::info("stopping: finishing requests in progress");
    server.stop();
  }

  std::atomic<bool> done_ = false;
  std::thread thread_;
};

std::string or_none(const std::string& text) {
  return text.empty() ? "none" : text;
}

/// The configuration of a server with these options, for --dry-run.
std::string description(const ServeCommand& command, const server::ServedModels& models) {
  std::string text;
  for (const auto& model : models.all()) {
    text += fmt::format("model {}: {}, {} to {}\n", model->name, model->loaded().directory.string(),
                        or_none(model->source_language), or_none(model->target_language));
    if (model->glossary != nullptr)
      text += fmt::format("glossary of {}: {} terms\n", model->name, model->glossary->size());
  }
  text += fmt::format("precision: {}\n",
                      command.precision ? enum_name(*command.precision) : "the model's");
  text += fmt::format("address: {}\nfurther names: {}\n", command.listen,
                      or_none(join(command.host_names)));
  text += fmt::format("runs: {}\ntoken: {}\n", or_none(command.runs),
                      command.token_file.empty() ? "none" : "required");
  return text + fmt::format("batches: {} lines, {} ms\nqueue: {} lines\nrequests: {} KB\n",
                            command.max_batch, command.max_wait_ms, command.max_queue,
                            command.max_body_kb);
}

void run_serve(const ServeCommand& command) {
  check(command);
  check_log_file(command.common.log, {}, {command.token_file});
  const runtime::Runtime runtime = start_runtime(command.common);
  server::ServedModels models(served_models(command), command.precision, runtime.device);
  for (const std::string& glossary : command.glossaries) models.add_glossary(glossary);
  const server::ServerOptions options = server_options(command, runtime.threads);
  if (command.dry_run) {
    OutputFile output("-");
    output.write(description(command, models));
    return output.commit();
  }
  server::Server server(models, options);
  announce(server, options);
  const SignalWatch watch(server);
  server.run();
}

void add_limits(CLI::App& command, ServeCommand& options) {
  constexpr const char* kGroup = "Limits";
  const auto add = [&](const char* name, int64_t& value, double least, double most,
                       const char* meaning) {
    command.add_option(name, value, fmt::format("{} (default {})", meaning, value))
        ->check(between(least, most))
        ->type_name("N")
        ->group(kGroup);
  };
  add("--max-batch", options.max_batch, 1, 4096,
      "Translate at most N lines together, fewer above 128 pieces");
  add("--max-wait-ms", options.max_wait_ms, 0, 1000,
      "Let a line wait N ms for others to join its batch");
  add("--max-queue", options.max_queue, 1, 1e6,
      "Let at most N lines wait; answer further ones with 429");
  add("--max-body-kb", options.max_body_kb, 1, 1e5, "Accept requests of at most N KB");
}

}  // namespace

void add_serve(CLI::App& command) {
  const auto options = std::make_shared<ServeCommand>();
  command.add_option("--model", options->models, "Serve this model folder; may be repeated")
      ->allow_extra_args(false)
      ->type_name("[NAME=]DIR");
  command.add_option("--models", options->models_folder, "Serve every model folder in this folder")
      ->type_name("DIR");
  command
      .add_option("--glossary", options->glossaries,
                  "Force translations of terms: SOURCE<tab>TARGET|TARGET per line; for one model")
      ->allow_extra_args(false)
      ->type_name("[NAME=]FILE");
  command
      .add_option("--listen", options->listen,
                  "Listen at this address; port 0: any free port (default 127.0.0.1:8080)")
      ->type_name("ADDR:PORT");
  command
      .add_option("--host-name", options->host_names,
                  "Accept requests for this host name; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME");
  command.add_option("--runs", options->runs, "Show the training runs in this folder")
      ->type_name("DIR");
  command
      .add_option("--token-file", options->token_file,
                  "Require requests to carry the token in this file")
      ->type_name("FILE");
  add_choice(command, "--precision", options->precision,
             "Compute in f32, bf16 or int8 (default: as the model's config says)")
      ->type_name("P");
  command.add_flag("--dry-run", options->dry_run,
                   "Load and check everything, print the settings and exit");
  add_limits(command, *options);
  add_common_options(command, options->common);
  add_log_size_option(command, options->common.log);
  command.footer("Example:\n  attend serve --model en-de=runs/quickstart --runs runs");
  command.callback([options] { run_serve(*options); });
}

}  // namespace attend::cli
