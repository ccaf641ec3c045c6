#pragma once
#include <cstdint>

namespace attend::distributed {

// Messages between MeetingPoint and SocketStore, which are parts of one program on one machine.

/// What a process asks of the store.
enum class StoreRequest : uint8_t { set, get, has, remove };

/// Precedes the key and the value of a request.
struct StoreRequestHead {
  StoreRequest request = StoreRequest::set;
  uint64_t key_bytes = 0;
  uint64_t value_bytes = 0;  // of set; otherwise 0
};

/// Precedes the value in a reply.
struct StoreReplyHead {
  bool found = false;        // the key existed before the request
  uint64_t value_bytes = 0;  // of get; otherwise 0
};

}  // namespace attend::distributed
