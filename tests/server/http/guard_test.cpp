#include "server/http/guard.h"

#include <gmock/gmock.h>

#include "server/http/api_error.h"

namespace attend::server {
namespace {

/// Paths that need no token.
constexpr const char* kOpen = "/open";

/// The status of the rejection; 200 if the request is accepted.
int status_of(const Guard& guard, const std::string& path,
              const std::map<std::string, std::string>& headers) {
  try {
    guard.check({.method = "GET", .path = path, .query = {}, .headers = headers, .body = ""},
                path == kOpen);
    return 200;
  } catch (const ApiError& error) {
    return error.status();
  }
}

TEST(Guard, RejectsUnknownHostNames) {
  const Guard guard({.hosts = {"nmt.example"}, .token = ""});
  for (const char* host :
       {"localhost", "localhost:80", "127.0.0.1:80", "[::1]:80", "10.0.0.1", "nmt.example:80"})
    EXPECT_EQ(status_of(guard, "/v1/models", {{"host", host}}), 200) << host;
  for (const char* host : {"evil.example", "localhost.evil.example", "", "127.0.0.1.evil.example",
                           "[::1]evil.example", "[::1"})
    EXPECT_EQ(status_of(guard, "/v1/models", {{"host", host}}), 403) << host;
}

TEST(Guard, ReportsAMissingHost) {
  const Guard guard({.hosts = {}, .token = ""});
  EXPECT_THAT(
      [&] {
        guard.check({.method = "GET", .path = kOpen, .query = {}, .headers = {}, .body = ""}, true);
      },
      testing::ThrowsMessage<ApiError>(testing::HasSubstr("the header Host")));
}

// Regression: --host-name NMT.example was rejected for browsers, which send it in lower case.
TEST(Guard, IgnoresTheCaseOfHostNames) {
  const Guard guard({.hosts = {"NMT.Example"}, .token = ""});
  for (const char* host : {"nmt.example", "NMT.EXAMPLE:80", "LocalHost:80", "[FE80::1]"})
    EXPECT_EQ(status_of(guard, "/v1/models", {{"host", host}}), 200) << host;
  EXPECT_EQ(status_of(guard, "/translate",
                      {{"host", "NMT.example:80"}, {"origin", "http://nmt.example:80"}}),
            200);
  EXPECT_EQ(status_of(guard, "/translate",
                      {{"host", "NMT.example:80"}, {"origin", "http://nmt.example:81"}}),
            403);
}

TEST(Guard, RejectsPagesOfOtherSites) {
  const Guard guard({.hosts = {}, .token = ""});
  EXPECT_EQ(
      status_of(guard, "/translate", {{"host", "localhost:80"}, {"origin", "http://localhost:80"}}),
      200);
  for (const char* origin : {"http://localhost:81", "http://evil.example", "null"})
    EXPECT_EQ(status_of(guard, "/translate", {{"host", "localhost:80"}, {"origin", origin}}), 403);
}

TEST(Guard, RequiresTheTokenExceptOnOpenRoutes) {
  const Guard guard({.hosts = {}, .token = "secret"});
  const auto with = [&](const char* path, const std::string& authorization) {
    return status_of(guard, path, {{"host", "localhost"}, {"authorization", authorization}});
  };
  EXPECT_EQ(with(kOpen, ""), 200);
  for (const char* path : {"/v1/models", "/translate", "/nothing"}) {
    EXPECT_EQ(with(path, "Bearer secret"), 200) << path;
    for (const char* wrong : {"", "secret", "Bearer secre", "Bearer secrets", "Bearer Secret"})
      EXPECT_EQ(with(path, wrong), 401) << path << wrong;
  }
}

}  // namespace
}  // namespace attend::server
