#include "server/page_routes.h"

#include <fmt/format.h>

#include "server/page_files.h"

namespace attend::server {
namespace {

std::string type_of(std::string_view name) {
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  return "text/html; charset=utf-8";
}

Route page_route(const PageFile& file) {
  const std::string path = fmt::format("/{}", file.name == "index.html" ? "" : file.name);
  return {"GET", path, "Part of the page", [file](const Request&, const SharedExchange& exchange) {
            exchange->respond({.type = type_of(file.name),
                               .body = std::string(file.content),
                               .headers = {{"Content-Security-Policy",
                                            "default-src 'self'; img-src 'self' data: blob:; "
                                            "frame-ancestors 'none'"},
                                           {"Referrer-Policy", "no-referrer"}}});
          }};
}

}  // namespace

std::vector<Route> page_routes() {
  std::vector<Route> routes;
  for (const PageFile& file : page_files()) routes.push_back(page_route(file));
  return routes;
}

}  // namespace attend::server
