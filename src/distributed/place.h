#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace attend::distributed {

/// Which of the processes of a run this one is, and where they meet.
struct Place {
  int64_t rank = 0;
  int64_t size = 1;
  int64_t local_rank = 0;
  int64_t local_size = 1;     ///< processes of the run on this machine; 1 where it is not known
  std::string launcher = {};  ///< "torchrun", "Open MPI", "Slurm"; empty: nobody, one process
  std::string address = {};   ///< of the machine of the meeting point
  uint16_t port = 0;
  bool meets_launcher = false;  ///< the launcher keeps the notes of the run, no process need listen
  std::string prefix = {};      ///< of the keys of these notes
  bool one_machine = false;     ///< all processes are on this one
  std::optional<int64_t> threads = {};  ///< what the launcher gave to each process, if it said so

  [[nodiscard]] bool alone() const { return size == 1; }
};

/// The value of a variable of the environment; nothing: it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// That of this process.
[[nodiscard]] Environment process_environment();

/// What the launcher says: torchrun (or any that sets RANK and WORLD_SIZE), else Open MPI's mpirun,
/// else Slurm's srun, else nobody. A batch script of Slurm that calls us without srun is one
/// process. Open MPI and Slurm say no port: MASTER_PORT of the environment counts, or one that
/// follows from the number of the job. Throws UsageError where the variables of one launcher are
/// incomplete, no numbers or contradict each other.
[[nodiscard]] Place find_place(const Environment& environment);

/// The first name of a list of hosts as Slurm writes it: "node[07-09,12],login" is node07. Empty
/// for a list that is none.
[[nodiscard]] std::string first_host(std::string_view list);

}  // namespace attend::distributed
