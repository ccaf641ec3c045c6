#include "server/server.h"

#include <atomic>
#include <chrono>

#include "server/api/context.h"
#include "server/api/routes.h"
#include "server/http/api_error.h"
#include "server/http/guard.h"
#include "server/search/statistics.h"

namespace attend::server {
namespace {

constexpr int kHttpThreads = 2;  // read requests and write answers

/// Adds the answer to the statistics.
class Measured final : public Exchange {
 public:
  Measured(SharedExchange inner, Statistics& statistics, std::string path)
      : inner_(std::move(inner)), statistics_(statistics), path_(std::move(path)) {}

  void respond(Response response) override {
    count(response.status);
    inner_->respond(std::move(response));
  }
  void send_event(std::string_view name, std::string_view data) override {
    inner_->send_event(name, data);
  }
  void finish_events(int status) override {
    count(status);
    inner_->finish_events(status);
  }
  [[nodiscard]] bool is_abandoned() const override { return inner_->is_abandoned(); }

 private:
  void count(int status) {
    const auto now = std::chrono::steady_clock::now();
    statistics_.add_request(path_, status, std::chrono::duration<double>(now - start_).count());
  }

  SharedExchange inner_;
  Statistics& statistics_;
  std::string path_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

/// The order of the members matters: at destruction, the queue and the thread of the runs may still
/// be answering requests, so they are destroyed before the objects that these answers use.
class Server::Impl {
 public:
  Impl(ServedModels& models, const ServerOptions& options)
      : guard_({.hosts = options.host_names, .token = options.token}),
        http_(
            options.host, options.port, options.limits,
            [this](Request request, const SharedExchange& exchange) { handle(request, exchange); }),
        neighbors_(options.shows_training_text),
        queue_(options.batch, statistics_),
        runs_(options.runs),
        context_{.models = models,
                 .queue = queue_,
                 .statistics = statistics_,
                 .neighbors = neighbors_,
                 .runs = runs_,
                 .runs_thread = runs_thread_,
                 .seed = options.seed},
        router_(make_routes(context_, stopping_)) {}

  [[nodiscard]] uint16_t port() const { return http_.port(); }
  void run() { http_.run(kHttpThreads); }
  void stop() {
    stopping_ = true;
    http_.stop();
  }

 private:
  void handle(const Request& request, const SharedExchange& exchange) {
    const Route* route = router_.find(request);
    const auto measured =
        std::make_shared<Measured>(exchange, statistics_, route != nullptr ? route->path : "other");
    try {
      guard_.check(request, route != nullptr && route->open);
      if (route == nullptr) return measured->respond(router_.no_route(request));
      route->handle(request, measured);
    } catch (...) {
      measured->respond(error_response(current_error(), router_.errors_at(request.path)));
    }
  }

  Statistics statistics_;
  std::atomic<bool> stopping_ = false;
  Guard guard_;
  HttpServer http_;  // calls handle() only in run(), after construction
  TrainingNeighbors neighbors_;
  SearchQueue queue_;
  RunFolders runs_;
  TaskThread runs_thread_;
  Context context_;
  Router router_;
};

Server::Server(ServedModels& models, const ServerOptions& options)
    : impl_(std::make_unique<Impl>(models, options)) {}
Server::~Server() = default;

uint16_t Server::port() const {
  return impl_->port();
}
void Server::run() {
  impl_->run();
}
void Server::stop() {
  impl_->stop();
}

}  // namespace attend::server
