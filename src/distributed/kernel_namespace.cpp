#include "distributed/kernel_namespace.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>

namespace attend::distributed {

std::string kernel_namespace(const std::string& kind) {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  struct stat space {};
  static_cast<void>(::stat(("/proc/self/ns/" + kind).c_str(), &space));
  return fmt::format("{} {}", boot, space.st_ino);
}

}  // namespace attend::distributed
