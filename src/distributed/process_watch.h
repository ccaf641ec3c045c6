#pragma once
#include <cstdint>
#include <string>

#include "distributed/descriptor.h"

namespace attend::distributed {

/// Tells whether another process of this machine has ended, at once and without its help.
class ProcessWatch {
 public:
  /// A note for other processes, which lets them watch this one.
  [[nodiscard]] static std::string own_note();

  /// Watches a process of this container.
  explicit ProcessWatch(int32_t process);
  /// Watches the process that wrote `note`.
  explicit ProcessWatch(const std::string& note);

  /// Always false if the process cannot be watched: it runs on another machine or in another
  /// container, or the system has no pidfd_open().
  [[nodiscard]] bool has_ended() const;

 private:
  Descriptor file_;
};

}  // namespace attend::distributed
