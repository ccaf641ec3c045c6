#include "server/http/http_server.h"

#include <gmock/gmock.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/server/client.h"

namespace attend::server {
namespace {

using namespace std::chrono_literals;
using test::Client;
using testing::HasSubstr;

/// Echoes bodies; stores the exchanges of /later and /events.
class HttpServerTest : public testing::Test {
 protected:
  static constexpr int kMostConnections = 4;

  HttpServerTest() {
    HttpLimits limits;
    limits.body = 1000;
    limits.header = 1000;
    limits.receive = 300ms;
    limits.client_check = 5ms;
    limits.connections = kMostConnections;
    server_ = std::make_unique<HttpServer>(
        "127.0.0.1", 0, limits, [this](const Request& request, const SharedExchange& exchange) {
          handle(request, exchange);
        });
    thread_ = std::thread([this] { server_->run(2); });
  }
  ~HttpServerTest() override { stop(); }

  void begin_to_stop() { server_->stop(); }
  void stop() {
    if (!thread_.joinable()) return;
    begin_to_stop();
    thread_.join();
  }
  void handle(const Request& request, const SharedExchange& exchange) {
    if (request.path != "/later") return exchange->respond({.body = request.body});
    const std::lock_guard lock(mutex_);
    kept_ = exchange;
    changed_.notify_all();
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    kept_.reset();
  }
  SharedExchange kept() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return kept_ != nullptr; });
    return kept_;
  }
  /// Waits until the server notices that the client of `exchange` has left; false if it does not.
  static bool becomes_abandoned(const SharedExchange& exchange) {
    for (int i = 0; i < 5000 && !exchange->is_abandoned(); ++i) std::this_thread::sleep_for(1ms);
    return exchange->is_abandoned();
  }
  [[nodiscard]] uint16_t port() const { return server_->port(); }

 private:
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  SharedExchange kept_;
};

TEST_F(HttpServerTest, AnswersRequestsOfOneConnectionInOrder) {
  Client client(port());
  EXPECT_EQ(client.post("/", "one").body, "one");
  client.send(
      "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\ntwo"
      "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nthree");
  EXPECT_EQ(client.receive().body, "two");
  EXPECT_EQ(client.receive().body, "three");
}

TEST_F(HttpServerTest, RejectsTooLargeRequests) {
  EXPECT_EQ(Client(port()).post("/", std::string(1001, 'x')).status, 413);
  EXPECT_EQ(Client(port()).post("/", "", "X: " + std::string(2000, 'x') + "\r\n").status, 431);
}

TEST_F(HttpServerTest, RejectsInvalidRequests) {
  Client client(port());
  client.send("hello, is anybody there?\r\n\r\n");
  EXPECT_EQ(client.receive().status, 400);
  EXPECT_EQ(client.receive().status, 0) << "the connection is still open";
}

// RFC 9112, 3.2 and 6.3. Regression: the body of such a request was answered as the next request.
TEST_F(HttpServerTest, RefusesRequestsThatReadersUnderstandDifferently) {
  const std::string next = "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\ntwo";
  for (const char* fields :
       {"Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n",
        "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "Transfer-Encoding:\r\n",
        "Content-Length: 3\r\nContent-Length: 4\r\n", "Transfer-Encoding : chunked\r\n",
        "Host: localhost\r\nHost: evil.example\r\n",
        "Origin: http://localhost\r\nOrigin: http://evil.example\r\n",
        "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"}) {
    Client client(port());
    client.send(std::string("POST / HTTP/1.1\r\n") + fields + "\r\n" + next);
    EXPECT_EQ(client.receive().status, 400) << fields;
    EXPECT_EQ(client.receive().status, 0) << "more than one answer to " << fields;
  }
  Client old(port());
  old.send("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n");
  EXPECT_EQ(old.receive().status, 400) << "HTTP/1.0 has no chunks";
}

TEST_F(HttpServerTest, ReadsBodiesInChunks) {
  Client client(port());
  client.send("POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\none\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive().body, "one");
}

// RFC 9112, 2.2. Regression: a line end after a body was answered 400.
TEST_F(HttpServerTest, IgnoresEmptyLinesBetweenRequests) {
  Client client(port());
  client.send("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\none\r\n");
  EXPECT_EQ(client.receive().body, "one");
  client.send("\r\n\r");
  client.send("\nPOST / HTTP/1.1\r\nContent-Length: 3\r\n\r\ntwo");
  EXPECT_EQ(client.receive().body, "two");
}

TEST_F(HttpServerTest, DoesNotWaitForSlowSenders) {
  Client slow(port());
  slow.send("POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\n");
  EXPECT_EQ(Client(port()).post("/", "quick").body, "quick");
  while (!slow.hears_within(10ms)) slow.send("x");  // single bytes do not extend the limit
  EXPECT_EQ(slow.receive().status, 408);
  EXPECT_EQ(slow.receive().status, 0) << "the connection is still open";
}

TEST_F(HttpServerTest, AnswersClientsThatStillSend) {
  Client client(port());
  client.send("POST / HTTP/1.1\r\nContent-Length: 50000000\r\n\r\n");
  std::thread sender([&] { client.send(std::string(10'000'000, 'x')); });
  sender.join();
  EXPECT_EQ(client.receive().status, 413);
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
  Client client(port());
  client.send(
      "HEAD / HTTP/1.1\r\nContent-Length: 4\r\n\r\nwhat"
      "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nnext");
  EXPECT_THAT(client.receive_until("\r\n\r\n"), HasSubstr("Content-Length: 4\r\n"));
  EXPECT_EQ(client.receive().body, "next");
}

TEST_F(HttpServerTest, AnswersExpect100Continue) {
  Client client(port());
  client.send("POST / HTTP/1.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("body");
  EXPECT_EQ(client.receive().body, "body");
  client.send("POST / HTTP/1.1\r\nContent-Length: 4000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 413) << "before the body is sent";
}

TEST_F(HttpServerTest, ClosesAfterAnOldRequestUnlessAskedToStay) {
  Client once(port());
  once.send("POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\none");
  EXPECT_THAT(once.receive_all(), testing::EndsWith("\r\n\r\none"));
  Client twice(port());
  twice.send("POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\none");
  EXPECT_EQ(twice.receive().headers["connection"], "keep-alive");
  EXPECT_EQ(twice.post("/", "two").body, "two");
}

TEST_F(HttpServerTest, DetectsADisconnectedClient) {
  {
    Client client(port());
    client.send("GET /later HTTP/1.1\r\n\r\n");
    EXPECT_FALSE(kept()->is_abandoned());
  }
  EXPECT_TRUE(becomes_abandoned(kept()));
  kept()->respond({});  // does nothing
}

// http_server.h: a half-closed connection looks like a disconnected client.
TEST_F(HttpServerTest, TreatsAHalfClosedConnectionAsDisconnected) {
  Client client(port());
  client.send("GET /later HTTP/1.1\r\n\r\n");
  const SharedExchange exchange = kept();
  client.end_sending();
  EXPECT_EQ(client.receive().status, 0);
  EXPECT_TRUE(exchange->is_abandoned());
}

TEST_F(HttpServerTest, ReusesThePlacesOfDisconnectedClients) {
  for (int i = 0; i < kMostConnections + 2; ++i) {
    {
      Client client(port());
      client.send("GET /later HTTP/1.1\r\n\r\n");
      EXPECT_FALSE(kept()->is_abandoned());
    }
    EXPECT_TRUE(becomes_abandoned(kept()));
    forget();
  }
  EXPECT_EQ(Client(port()).post("/", "next").body, "next");
}

TEST_F(HttpServerTest, AnswersIfTheNextRequestComesEarly) {
  Client client(port());
  client.send("GET /later HTTP/1.1\r\n\r\n");
  const SharedExchange exchange = kept();
  client.send("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\ntwo");
  // The server checks both clients equally often, so it has checked the first one by the time it
  // misses the second.
  forget();
  {
    Client other(port());
    other.send("GET /later HTTP/1.1\r\n\r\n");
    EXPECT_FALSE(kept()->is_abandoned());
  }
  EXPECT_TRUE(becomes_abandoned(kept()));
  EXPECT_FALSE(exchange->is_abandoned());
  exchange->respond({.body = "one"});
  EXPECT_EQ(client.receive().body, "one");
  EXPECT_EQ(client.receive().body, "two");
}

TEST_F(HttpServerTest, AnswersPendingRequestsWhenStopped) {
  Client client(port());
  client.send("GET /later HTTP/1.1\r\n\r\n");
  const SharedExchange exchange = kept();
  begin_to_stop();
  exchange->respond({.body = "late"});
  EXPECT_EQ(client.receive().body, "late");
}

TEST_F(HttpServerTest, SendsEventsAsTheyCome) {
  Client client(port());
  client.send("GET /later HTTP/1.1\r\n\r\n");
  const SharedExchange exchange = kept();
  exchange->send_event("step", "1");
  exchange->send_event("done", "2");
  exchange->finish_events(200);
  const std::string all = client.receive_all();
  EXPECT_THAT(all, HasSubstr("text/event-stream"));
  EXPECT_THAT(all, HasSubstr("\r\n\r\nevent: step\ndata: 1\n\nevent: done\ndata: 2\n\n"));
}

}  // namespace
}  // namespace attend::server
