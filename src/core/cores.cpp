#include "core/cores.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <thread>

namespace attend {

namespace {

// The content of a file; empty if it cannot be read, because not every kernel has the file.
std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
  }
  if (cpus.empty()) {
    for (unsigned cpu = 0; cpu < std::thread::hardware_concurrency(); ++cpu)
      cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

// The cgroup folder of this process for `controller` ("" for version 2), from lines such as
// "4:cpu,cpuacct:/a".
std::string group_folder(const std::string& controller) {
  std::istringstream lines(content_of("/proc/self/cgroup"));
  std::string number, controllers, folder;
  while (std::getline(lines, number, ':') && std::getline(lines, controllers, ':') &&
         std::getline(lines, folder)) {
    const std::string listed = "," + controllers + ",";
    if (listed.find("," + controller + ",") != std::string::npos) return folder;
  }
  return "/";
}

// The smallest limit of the group and its ancestors.
std::optional<int64_t> smallest_limit(const std::filesystem::path& root, const std::string& group,
                                      bool version_2) {
  std::optional<int64_t> smallest;
  std::filesystem::path folder = root / std::filesystem::path(group).relative_path();
  while (true) {
    const std::string content = version_2 ? content_of(folder / "cpu.max")
                                          : content_of(folder / "cpu.cfs_quota_us") + " " +
                                                content_of(folder / "cpu.cfs_period_us");
    const auto limit = parse_cpu_max(content);
    if (limit) smallest = std::min(*limit, smallest.value_or(*limit));
    if (folder == root || !folder.has_parent_path() || folder.parent_path() == folder)
      return smallest;
    folder = folder.parent_path();
  }
}

}  // namespace

int64_t count_physical_cores(const std::vector<int>& cpus, const std::filesystem::path& topology) {
  std::set<std::string> cores;
  for (const int cpu : cpus) {
    const std::string name = "cpu" + std::to_string(cpu);
    const std::string siblings = content_of(topology / name / "topology/thread_siblings_list");
    cores.insert(siblings.empty() ? name : siblings);
  }
  return static_cast<int64_t>(cores.size());
}

std::optional<int64_t> parse_cpu_max(std::string_view content) {
  std::istringstream stream{std::string(content)};
  int64_t quota = 0;
  int64_t period = 0;
  if (!(stream >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return std::max<int64_t>(1, (quota + period - 1) / period);
}

int64_t usable_cores() {
  int64_t cores = count_physical_cores(allowed_cpus(), "/sys/devices/system/cpu");
  const auto version_2 = smallest_limit("/sys/fs/cgroup", group_folder(""), true);
  const auto version_1 = smallest_limit("/sys/fs/cgroup/cpu", group_folder("cpu"), false);
  for (const auto& limit : {version_1, version_2}) {
    if (limit) cores = std::min(cores, *limit);
  }
  return std::max<int64_t>(1, cores);
}

}  // namespace attend
