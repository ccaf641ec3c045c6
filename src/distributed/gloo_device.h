#pragma once
#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "distributed/place.h"

namespace attend::distributed {

/// The network interface for messages: the one that GLOO_SOCKET_IFNAME names, if it is set;
/// otherwise loopback if all processes are on one machine, or the interface with a route to the
/// first process. Throws Gloo's error if there is none.
[[nodiscard]] std::shared_ptr<gloo::transport::Device> choose_device(const Place& place);

}  // namespace attend::distributed
