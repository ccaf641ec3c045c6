#include "distributed/gloo_device.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

namespace attend::distributed {
namespace {

/// The address of this machine on the route to `host`; empty if there is no route.
std::string address_towards(const std::string& host, uint16_t port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return "";
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> guard(found, ::freeaddrinfo);
  const int socket = ::socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_storage own = {};
  socklen_t size = sizeof own;
  auto* const address = reinterpret_cast<sockaddr*>(&own);
  std::array<char, NI_MAXHOST> text{};
  // Connecting a datagram socket sends nothing.
  const bool known =
      ::connect(socket, found->ai_addr, found->ai_addrlen) == 0 &&
      ::getsockname(socket, address, &size) == 0 &&
      ::getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0;
  ::close(socket);
  return known ? text.data() : "";
}

}  // namespace

std::shared_ptr<gloo::transport::Device> choose_device(const Place& place) {
  using Gloo = c10d::ProcessGroupGloo;
  if (const char* const name = std::getenv("GLOO_SOCKET_IFNAME"))
    return Gloo::createDeviceForInterface(name);
  if (place.one_machine) return Gloo::createDeviceForHostname("127.0.0.1");
  const std::string address = address_towards(place.address, place.port);
  return address.empty() ? Gloo::createDefaultDevice() : Gloo::createDeviceForHostname(address);
}

}  // namespace attend::distributed
