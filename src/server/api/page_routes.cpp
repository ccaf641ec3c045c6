#include "server/api/routes.h"

#include "server/page/page_files.h"

namespace attend::server {
namespace {

Route page_route(const PageFile& file) {
  return {.method = "GET",
          .path = std::string(file.path),
          .meaning = "Part of the web page",
          .handle =
              [file](const Request&, const SharedExchange& exchange) {
                exchange->respond({.type = std::string(file.type),
                                   .body = std::string(file.text),
                                   .headers = {{"Content-Security-Policy",
                                                "default-src 'self'; img-src 'self' data: blob:; "
                                                "frame-ancestors 'none'"},
                                               {"Referrer-Policy", "no-referrer"}}});
              },
          .open = true};
}

}  // namespace

std::vector<Route> page_routes() {
  std::vector<Route> routes;
  for (const PageFile& file : page_files()) routes.push_back(page_route(file));
  return routes;
}

}  // namespace attend::server
