#pragma once
#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "distributed/place.h"

namespace attend::distributed {

/// The network interface of a process's messages: the one that GLOO_SOCKET_IFNAME names; the
/// loopback one where all processes are on one machine; else the one on the way to the first
/// process. Throws what Gloo throws where there is none.
[[nodiscard]] std::shared_ptr<gloo::transport::Device> choose_device(const Place& place);

}  // namespace attend::distributed
