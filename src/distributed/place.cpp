#include "distributed/place.h"

#include <fmt/format.h>

#include <climits>
#include <cstdlib>
#include <sstream>

#include "core/error.h"
#include "core/number.h"

namespace attend::distributed {
namespace {

constexpr int64_t kMostProcesses = 100'000;
constexpr int64_t kUsualPort = 29500;  // torchrun's
// Ports derived from job numbers: the first one, and how many there are. They lie below the range
// for outgoing connections.
constexpr int64_t kFirstJobPort = 20000;
constexpr int64_t kJobPorts = 12000;

[[noreturn]] void refuse(const std::string& what) {
  throw UsageError(what +
                   "; start the processes with torchrun, srun or mpirun, or attend train with "
                   "--ranks, or unset the variables");
}

/// Reads the variables of one launcher.
class Variables {
 public:
  Variables(const Environment& environment, std::string launcher)
      : environment_(environment), launcher_(std::move(launcher)) {}

  [[nodiscard]] bool has(const std::string& name) const { return environment_(name).has_value(); }

  [[nodiscard]] std::string text(const std::string& name) const {
    const auto value = environment_(name);
    if (!value || value->empty())
      refuse(fmt::format("the environment of {} is incomplete: {} is not set", launcher_, name));
    return *value;
  }

  [[nodiscard]] int64_t number(const std::string& name, int64_t least, int64_t most) const {
    return checked(text(name), name, least, most);
  }

  /// Reads comma-separated whole numbers.
  [[nodiscard]] std::vector<int> numbers(const std::string& name) const {
    std::vector<int> numbers;
    std::istringstream list(text(name));
    for (std::string item; std::getline(list, item, ',');)
      numbers.push_back(static_cast<int>(checked(item, name, 0, INT_MAX)));
    return numbers;
  }

  [[nodiscard]] int64_t number_or(const std::string& name, int64_t least, int64_t most,
                                  int64_t otherwise) const {
    return !name.empty() && has(name) ? number(name, least, most) : otherwise;
  }

 private:
  [[nodiscard]] int64_t checked(const std::string& value, const std::string& name, int64_t least,
                                int64_t most) const {
    const auto number = number_in<int64_t>(value);
    if (!number || *number < least || *number > most)
      refuse(fmt::format("the environment of {}: {} is \"{}\", not a number from {} to {}",
                         launcher_, name, value, least, most));
    return *number;
  }

  const Environment& environment_;
  std::string launcher_;
};

/// A launcher's variables for ranks and sizes. If there is no such variable, the name is empty.
struct Names {
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* local_size;
};

void check_contradictions(const Place& place, const Names& names) {
  const auto check = [&](int64_t rank, const char* rank_name, int64_t size, const char* size_name) {
    if (rank >= size)
      refuse(fmt::format("the environment of {} contradicts itself: {} is {}, and {} is {}",
                         place.launcher, rank_name, rank, size_name, size));
  };
  check(place.rank, names.rank, place.size, names.size);
  if (place.local_size > place.size)
    refuse(fmt::format("the environment of {} contradicts itself: {} is {}, and {} is {}",
                       place.launcher, names.local_size, place.local_size, names.size, place.size));
  if (place.local_size > 1)
    check(place.local_rank, names.local_rank, place.local_size, names.local_size);
}

Place numbered(const Variables& variables, const std::string& launcher, const Names& names) {
  Place place;
  place.launcher = launcher;
  place.rank = variables.number(names.rank, 0, kMostProcesses);
  place.size = variables.number(names.size, 1, kMostProcesses);
  place.local_rank = variables.number_or(names.local_rank, 0, kMostProcesses, 0);
  place.local_size = variables.number_or(names.local_size, 1, kMostProcesses, 1);
  check_contradictions(place, names);
  place.one_machine = place.local_size == place.size;
  return place;
}

void set_port(Place& place, const Variables& variables, int64_t usual) {
  place.port = static_cast<uint16_t>(variables.number_or("MASTER_PORT", 1, 65535, usual));
}

Place place_of_torchrun(const Environment& environment) {
  const Variables variables(environment, "torchrun");
  Place place =
      numbered(variables, "torchrun", {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"});
  if (place.alone()) return place;
  if (variables.has(kConnectionsVariable)) {
    place.connections = variables.numbers(kConnectionsVariable);
  } else {
    place.address = variables.text("MASTER_ADDR");
    place.port = static_cast<uint16_t>(variables.number("MASTER_PORT", 1, 65535));
  }
  place.meets_launcher = environment("TORCHELASTIC_USE_AGENT_STORE") == "True";
  // Uses a prefix: the store also holds torchrun's own keys, and notes from before a restart.
  const int64_t attempt = variables.number_or("TORCHELASTIC_RESTART_COUNT", 0, 1'000'000'000, 0);
  place.prefix = fmt::format("/worker/attempt_{}", attempt);
  return place;
}

Place place_of_open_mpi(const Environment& environment) {
  const Variables variables(environment, "Open MPI");
  Place place = numbered(variables, "Open MPI",
                         {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                          "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"});
  if (place.alone()) return place;
  // Uses a prefix, because another job on this machine may use the same port.
  place.prefix = "/job/" + environment("PMIX_NAMESPACE").value_or("");
  if (place.one_machine && !variables.has("MASTER_ADDR")) {
    place.address = "127.0.0.1";
  } else {
    place.address = variables.text("MASTER_ADDR");
  }
  set_port(place, variables, kUsualPort);
  return place;
}

std::string host_of_first_task(const Variables& variables) {
  const char* name =
      variables.has("SLURM_STEP_NODELIST") ? "SLURM_STEP_NODELIST" : "SLURM_JOB_NODELIST";
  const std::string list = variables.text(name);
  std::string host = first_host(list);
  if (host.empty())
    refuse(fmt::format("the environment of Slurm: {} is \"{}\", not a list of hosts", name, list));
  return host;
}

Place place_of_slurm(const Environment& environment) {
  const Variables variables(environment, "Slurm");
  const bool step = variables.has("SLURM_STEP_NUM_TASKS");
  Place place = numbered(
      variables, "Slurm",
      {"SLURM_PROCID", step ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS", "SLURM_LOCALID", ""});
  if (place.alone()) return place;
  const int64_t nodes =
      variables.number_or("SLURM_STEP_NUM_NODES", 1, kMostProcesses,
                          variables.number_or("SLURM_NNODES", 1, kMostProcesses, 0));
  place.one_machine = nodes == 1;
  place.address = variables.has("MASTER_ADDR") ? variables.text("MASTER_ADDR")
                  : place.one_machine          ? "127.0.0.1"
                                               : host_of_first_task(variables);
  const int64_t job = variables.number_or("SLURM_JOB_ID", 0, INT64_MAX / 64, 0);
  const int64_t number = variables.number_or("SLURM_STEP_ID", 0, INT64_MAX / 64, 0);
  place.prefix = fmt::format("/job/{}.{}", job, number);
  set_port(place, variables, kFirstJobPort + (job * 16 + number) % kJobPorts);
  // A task has one CPU unless the job asks for more.
  place.threads = variables.number_or("SLURM_CPUS_PER_TASK", 1, 100'000, 1);
  return place;
}

/// The first number of a bracketed list: "07" for "07-09,12]".
std::string_view first_number(std::string_view ranges) {
  return ranges.substr(0, ranges.find_first_of("-,]"));
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

Place find_place(const Environment& environment) {
  const auto has = [&](const char* name) { return environment(name).has_value(); };
  if (has("RANK") || has("WORLD_SIZE")) return place_of_torchrun(environment);
  if (has("OMPI_COMM_WORLD_RANK") || has("OMPI_COMM_WORLD_SIZE"))
    return place_of_open_mpi(environment);
  if (has("SLURM_PROCID") && (has("SLURM_STEP_ID") || has("SLURM_STEP_NUM_TASKS")))
    return place_of_slurm(environment);
  return {};
}

std::string first_host(std::string_view list) {
  std::string host;
  while (!list.empty() && list.front() != ',') {
    if (list.front() != '[') {
      host += list.front();
      list.remove_prefix(1);
      continue;
    }
    const std::size_t end = list.find(']');
    const std::string_view number = first_number(list.substr(1));
    if (end == std::string_view::npos || number.empty()) return "";
    host += number;
    list.remove_prefix(end + 1);
  }
  return host;
}

}  // namespace attend::distributed
