#include "distributed/rendezvous.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <thread>

#include "distributed/descriptor.h"

namespace attend::distributed {
namespace {

/// A port that was free a moment ago.
uint16_t free_port() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(socket.get(), any, size), 0);
  EXPECT_EQ(::getsockname(socket.get(), any, &size), 0);
  return ntohs(address.sin_port);
}

// The first process hosts a store of c10d, as under mpirun and srun.
TEST(Rendezvous, HoldsNotesAtAnAddress) {
  const uint16_t port = free_port();
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < 2; ++rank) {
    threads.emplace_back([port, rank] {
      Rendezvous rendezvous(
          {.rank = rank, .size = 2, .address = "127.0.0.1", .port = port, .prefix = "/job"});
      const std::string large(5'000'000, 'x');  // tokenizers
      const int64_t other = 1 - rank;
      rendezvous.post("large/" + std::to_string(rank), large);
      EXPECT_EQ(rendezvous.take("large/" + std::to_string(other), other), large);
      EXPECT_FALSE(rendezvous.find("large/" + std::to_string(other)));
      rendezvous.post("end/" + std::to_string(rank), "");
      EXPECT_EQ(rendezvous.await("end/" + std::to_string(other), other), "");
      if (rank == 0) static_cast<void>(rendezvous.await("parted", 1));
      if (rank == 1) rendezvous.post("parted", "");
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace attend::distributed
