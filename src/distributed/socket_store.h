#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "distributed/store_message.h"

namespace attend::distributed {

/// The store of a MeetingPoint, as a process that inherited a connection sees it. All functions
/// throw std::runtime_error once the meeting point is gone. add(), getNumKeys() and clone() are not
/// supported and throw std::logic_error.
class SocketStore final : public c10d::Store {
 public:
  /// Takes over `descriptor` (MeetingPoint::connect()), and marks it as closed on exec. wait() and
  /// get() wait up to `timeout` for a key, then throw std::runtime_error.
  SocketStore(int descriptor, std::chrono::milliseconds timeout);
  ~SocketStore() override;
  SocketStore(const SocketStore&) = delete;
  SocketStore& operator=(const SocketStore&) = delete;

  void set(const std::string& key, const std::vector<uint8_t>& value) override;
  std::vector<uint8_t> get(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  bool deleteKey(const std::string& key) override;
  void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }
  void wait(const std::vector<std::string>& keys,
            const std::chrono::milliseconds& timeout) override;

  int64_t add(const std::string& key, int64_t value) override;
  int64_t getNumKeys() override;
  /// Overrides a function of recent LibTorchs. Debian's has none.
  c10::intrusive_ptr<Store> clone();  // NOLINT(*-override)

 private:
  struct Reply {
    bool found = false;
    std::vector<uint8_t> value;
  };
  Reply ask(StoreRequest request, const std::string& key, const std::vector<uint8_t>& value = {});
  void send(const void* bytes, std::size_t count) const;
  void receive(void* bytes, std::size_t count) const;

  int descriptor_;
  std::mutex mutex_;  // held from a request to its reply
};

}  // namespace attend::distributed
