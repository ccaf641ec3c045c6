#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attend::distributed {

/// Environment variable that passes the descriptors of Place::connections, such as "7,8", to the
/// processes of run_local_ranks().
inline constexpr const char* kConnectionsVariable = "ATTEND_MEETING_POINT";

/// The rank of this process in a run, and the address of the rendezvous.
struct Place {
  int64_t rank = 0;
  int64_t size = 1;
  int64_t local_rank = 0;
  int64_t local_size = 1;     ///< processes of the run on this machine; 1 if unknown
  std::string launcher = {};  ///< "torchrun", "Open MPI", "Slurm"; empty for a single process
  std::string address = {};   ///< of the machine that hosts the rendezvous store
  uint16_t port = 0;
  /// Connections to the store that this process inherited (SocketStore); empty: the store is at the
  /// address and port.
  std::vector<int> connections = {};
  bool meets_launcher = false;          ///< the launcher hosts the store, not the first process
  std::string prefix = {};              ///< of the keys in the store
  bool one_machine = false;             ///< all processes run on this machine
  std::optional<int64_t> threads = {};  ///< threads per process, if the launcher sets them

  [[nodiscard]] bool alone() const { return size == 1; }
};

/// Returns the value of an environment variable; nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The environment of this process.
[[nodiscard]] Environment process_environment();

/// Reads the variables of the launcher: torchrun (or any that sets RANK and WORLD_SIZE), otherwise
/// Open MPI's mpirun, otherwise Slurm's srun. Without a launcher there is one process, as in a
/// Slurm batch script without srun. Open MPI and Slurm set no port: it is MASTER_PORT if that is
/// set, otherwise torchrun's default for Open MPI, and derived from the job number for Slurm.
/// Throws UsageError if the variables of a launcher are incomplete, not numbers or contradictory.
[[nodiscard]] Place find_place(const Environment& environment);

/// The first host of a Slurm host list: node07 for "node[07-09,12],login". Empty if the list is
/// malformed.
[[nodiscard]] std::string first_host(std::string_view list);

}  // namespace attend::distributed
