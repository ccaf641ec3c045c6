// Requests to `attend serve`: request bodies for each endpoint, and URLs. The first line of the
// input selects one of these. Requests are read and checked up to the search queue, which has no
// thread here.
#include <nlohmann/json.hpp>
#include <string>

#include "core/utf8.h"
#include "server/api/handlers.h"
#include "server/http/api_error.h"
#include "server/http/url.h"
#include "tests/cli/tiny_model.h"
#include "tests/fuzz/support.h"

namespace {

namespace server = attend::server;
using attend::fuzz::require;

/// Checks the answer of a handler that answers without a search.
class Judge final : public server::Exchange {
 public:
  void respond(server::Response response) override {
    require(!answered_, "a request has one answer");
    answered_ = true;
    require(response.status == 200 || response.status == 400 || response.status == 404 ||
                response.status == 413,
            "mistakes in requests are the client's");
    require(attend::utf8::is_valid(response.body), "answers are well-formed UTF-8");
    const auto body = nlohmann::json::parse(response.body);
    require(body.contains("error") == (response.status != 200), "errors say why");
  }
  void send_event(std::string_view /*name*/, std::string_view /*data*/) override {
    require(false, "nothing is searched");
  }
  void finish_events(int /*status*/) override { require(false, "nothing is searched"); }
  [[nodiscard]] bool is_abandoned() const override { return false; }

 private:
  bool answered_ = false;
};

server::ServedModels load_tiny_model() {
  const attend::test::TempDir dir;
  const auto model = attend::cli::test::train_tiny_model(dir, "model", {});
  return {{"en-de=" + model.string()}, "", torch::Device(torch::kCPU)};
}

using Handler = void (*)(const server::Context&, const server::Request&,
                         const server::SharedExchange&);

void answer(Handler handler, const std::string& type, std::string_view body) {
  static server::ServedModels models = load_tiny_model();
  server::Statistics statistics;
  server::SearchQueue queue({.threads = 0}, statistics);
  server::TrainingNeighbors neighbors(/*allowed=*/false);
  server::RunFolders runs("");
  static server::TaskThread runs_thread;  // unused: no request here gives it a task
  const server::Context context{models, queue, statistics, neighbors, runs, runs_thread};
  const auto exchange = std::make_shared<Judge>();
  const server::Request request{.method = "POST",
                                .path = "/",
                                .query = {},
                                .headers = {{"content-type", type}},
                                .body = std::string(body)};
  try {
    handler(context, request, exchange);
  } catch (...) {
    exchange->respond(server::error_response(server::current_error()));
  }
}

void read_address(std::string_view text) {
  try {
    (void)server::parse_target(text);
  } catch (const server::ApiError& error) {
    require(error.status() == 400, "mistakes in addresses are the client's");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const std::string_view text = attend::fuzz::text_of(data, size);
  const std::size_t line = text.find('\n');
  const std::string_view body = line == std::string_view::npos ? "" : text.substr(line + 1);
  switch (text.empty() ? '\0' : text.front()) {
    case 's':
      answer(server::score, "", body);
      break;
    case 'a':
      answer(server::align, "", body);
      break;
    case 'l':
      answer(server::libre_translate, "", body);
      break;
    case 'f':
      answer(server::libre_translate, "application/x-www-form-urlencoded", body);
      break;
    case 'u':
      read_address(body);
      break;
    default:
      answer(server::translate, "", body);
  }
  return 0;
}
