#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "distributed/device_sums.h"
#include "distributed/join.h"
#include "distributed/meeting_point.h"
#include "distributed/store_collectives.h"
#include "distributed/store_group.h"

namespace attend::test {

/// True if a process may open memory files through /proc; some sandboxes forbid it.
inline bool shows_memory_files() {
  const int file = ::memfd_create("test", MFD_CLOEXEC);
  const std::string path = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file);
  const int again = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  const bool shows = file >= 0 && again >= 0;
  if (file >= 0) ::close(file);
  if (again >= 0) ::close(again);
  return shows;
}

/// How run_in_group() connects the threads.
struct Meeting {
  std::chrono::milliseconds timeout = std::chrono::seconds(20);
  std::function<std::unique_ptr<distributed::Group>(const distributed::Place&)> join =
      distributed::join;
  std::function<torch::Device(int64_t rank)> device = [](int64_t) { return torch::kCPU; };
};

/// Joins like processes on GPUs, whose sums do not leave the device, but the device is the CPU.
inline std::unique_ptr<distributed::Group> join_as_on_gpus(const distributed::Place& place) {
  return std::make_unique<distributed::StoreGroup>(
      place, [](torch::Device /*device*/, const distributed::Links& links) {
        return std::make_unique<distributed::DeviceSums>(
            std::make_unique<distributed::StoreCollectives>(links));
      });
}

/// Joins `count` threads as if they were processes and runs `task` in each. Once all have ended,
/// rethrows the error of the lowest rank that failed.
inline void run_in_group(int64_t count, const std::function<void(distributed::Group&)>& task,
                         const Meeting& meeting = {}) {
  distributed::MeetingPoint meeting_point;
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      distributed::Place place;
      place.rank = rank;
      place.size = count;
      place.connections = {meeting_point.connect(), meeting_point.connect()};
      place.meets_launcher = true;
      place.one_machine = true;
      try {
        const auto group = meeting.join(place);
        group->connect(meeting.timeout, meeting.device(rank));
        task(*group);
      } catch (...) {
        errors[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace attend::test
