#include "server/nearest/training_neighbors.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "app/run/kept_text.h"
#include "core/error.h"
#include "core/log.h"
#include "runtime/side_by_side.h"
#include "server/http/api_error.h"

namespace attend::server {
namespace {

/// Lowers the priority of this thread. On Linux, setpriority() with a thread id affects only that
/// thread, and lowering the priority is always allowed.
void lower_priority() {
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10);
}

std::filesystem::path text_of(const ServedModel& model) {
  return app::kept_text_file(model.loaded().experiment, model.loaded().directory);
}

bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return !file.empty() && std::filesystem::is_regular_file(file, ignored);
}

ApiError unusable(int status, const ServedModel& model) {
  return {status, "no_training_text",
          fmt::format("the training text of model \"{}\" cannot be used; see the server's log",
                      model.name)};
}

}  // namespace

/// An index and the thread that builds it.
class TrainingNeighbors::Building {
 public:
  explicit Building(const ServedModel& model) : thread_([this, &model] { build(model); }) {}
  ~Building() {
    stopping_ = true;
    thread_.join();
  }
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;

  /// Throws the exception that ended the building.
  [[nodiscard]] State state() const {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    return {done_, total_, index_};
  }
  [[nodiscard]] bool has_failed() const {
    const std::lock_guard lock(mutex_);
    return error_ != nullptr;
  }
  /// True if building failed long enough ago to try again.
  [[nodiscard]] bool is_worth_another() const {
    const std::lock_guard lock(mutex_);
    return error_ && Clock::now() - ended_ > kTimeToTryAgain;
  }

 private:
  void build(const ServedModel& model) {
    lower_priority();
    runtime::use_threads(1);
    std::shared_ptr<const SentenceIndex> index;
    std::exception_ptr error;
    try {
      auto built =
          SentenceIndex::build(model.loaded(), app::load_kept_text(model.loaded()),
                               [this](int64_t done, int64_t total) { return report(done, total); });
      if (built) index = std::make_shared<const SentenceIndex>(std::move(*built));
      if (index) log::info("{}: indexed {} training sentences", model.name, index->size());
    } catch (const std::exception& failure) {
      log::warning("nearest sentences of {}: {}", model.name, failure.what());
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    index_ = std::move(index);
    error_ = error;
    ended_ = Clock::now();
  }

  bool report(int64_t done, int64_t total) {
    done_ = done;
    total_ = total;
    return !stopping_;
  }

  using Clock = std::chrono::steady_clock;
  static constexpr auto kTimeToTryAgain = std::chrono::minutes(1);

  Clock::time_point ended_;
  std::atomic<int64_t> done_ = 0;
  std::atomic<int64_t> total_ = 0;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<const SentenceIndex> index_;
  std::exception_ptr error_;
  std::thread thread_;  // the last, because it uses the other members
};

TrainingNeighbors::TrainingNeighbors(bool allowed) : allowed_(allowed) {}
TrainingNeighbors::~TrainingNeighbors() = default;

bool TrainingNeighbors::has(const ServedModel& model) const {
  if (!allowed_ || !is_there(text_of(model))) return false;
  const std::lock_guard lock(mutex_);
  const auto building = buildings_.find(&model);
  return building == buildings_.end() || !building->second || !building->second->has_failed();
}

TrainingNeighbors::State TrainingNeighbors::index(const ServedModel& model) {
  if (!allowed_) {
    throw ApiError(403, "no_training_text",
                   "training text is only available if the server listens on the loopback address "
                   "or requires a token (--token-file)");
  }
  const auto file = text_of(model);
  if (!is_there(file)) {
    throw ApiError(
        404, "no_training_text",
        fmt::format("model \"{}\" has no token cache with its training text; `attend train` "
                    "writes {} beside the model folder, unless data.cache is none or attention "
                    "is guided by links",
                    model.name, file.empty() ? "NAME.tokens" : file.filename().string()));
  }
  const std::lock_guard lock(mutex_);
  auto& building = buildings_[&model];
  if (!building || building->is_worth_another()) building = std::make_unique<Building>(model);
  try {
    return building->state();
  } catch (const DataError&) {
    throw unusable(409, model);  // the files have changed
  } catch (const ModelFileError&) {
    throw unusable(409, model);
  } catch (const std::exception&) {
    throw unusable(500, model);
  }
}

}  // namespace attend::server
