#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace attend::server::test {

/// A response of a server.
struct Reply {
  int status = 0;  ///< 0: the server closed the connection without an answer
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
};

/// A connection to a server on this machine.
class Client {
 public:
  explicit Client(uint16_t port);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& bytes) const;
  /// Shuts down the sending side of the connection.
  void end_sending() const;
  /// Reads the next answer. True if the server has sent something, or sends something within
  /// `time`.
  [[nodiscard]] bool hears_within(std::chrono::milliseconds time) const;
  /// The next answer.
  [[nodiscard]] Reply receive();
  /// Reads up to and including the next `end`, or until the server closes.
  [[nodiscard]] std::string receive_until(const std::string& end);
  /// Reads until the server closes.
  [[nodiscard]] std::string receive_all();

  [[nodiscard]] Reply get(const std::string& path);
  [[nodiscard]] Reply post(const std::string& path, const std::string& body,
                           const std::string& headers = "");

 private:
  bool fill();

  int socket_ = -1;
  std::string received_;
};

}  // namespace attend::server::test
