#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "app/translate/translator.h"
#include "decode/search/search_control.h"
#include "server/search/statistics.h"

namespace attend::server {

/// How lines of different requests come together.
struct BatchOptions {
  int64_t most_lines = 64;            ///< searched together; fewer long ones: see BatchSize
  std::chrono::milliseconds wait{5};  ///< that a line stays for others, where requests come close
  int64_t most_waiting = 4096;        ///< lines in the queue
  int64_t threads = 1;                ///< of all searches
};

/// Lines to translate with one set of options.
struct SearchJob {
  const app::Translator* translator = nullptr;  ///< outlives the job
  decode::SearchOptions options;
  std::vector<app::SourceLine> lines;        ///< none is empty()
  decode::SearchControl* control = nullptr;  ///< set: searched apart from other jobs, under it
  std::function<bool()> is_abandoned;        ///< whether nobody waits for the results any more
  /// Called once by the thread that searched the last line, with results in the order of the lines,
  /// or an error. Must not throw.
  std::function<void(std::vector<std::vector<app::Translation>>, std::exception_ptr)> done;
};

/// Threads that search. A line is searched together with waiting ones of other jobs that want the
/// same of the same model and are of similar length, and gets what it would get alone: where a
/// search of several jobs fails, each is searched again by itself, so that only the guilty fail. As
/// many searches run at once as there are threads, each on one: several threads inside the steps of
/// a small search wait for each other more than they help. Threads that have nothing to do share
/// what waits, so that clients who all wait for one search do not leave the other threads idle.
class SearchQueue {
 public:
  /// Borrows the statistics. Starts the threads.
  SearchQueue(const BatchOptions& options, Statistics& statistics);
  /// Finishes what waits.
  ~SearchQueue();
  SearchQueue(const SearchQueue&) = delete;
  SearchQueue& operator=(const SearchQueue&) = delete;

  /// Throws ApiError 429 if too much waits already, 413 for a job that has too many lines.
  void add(SearchJob job);
  /// Work of other kind that needs a thread, such as forced decoding, in turn with searches. Must
  /// not throw. Throws as the other.
  void add(std::function<void()> task);

 private:
  struct Progress;
  struct Ticket;
  /// What a search gave, in the order of its lines.
  struct Found {
    std::vector<std::vector<app::Translation>> results;
    std::exception_ptr error;
  };
  using Clock = std::chrono::steady_clock;

  void work();
  /// Keeps the lock but while the work is done.
  void do_unlocked(std::unique_lock<std::mutex>& lock, const std::function<void()>& work);
  void search(std::vector<Ticket> batch);
  void search_apart(std::vector<Ticket> batch);
  [[nodiscard]] Found find(const std::vector<Ticket>& batch);
  [[nodiscard]] static bool of_one_job(const std::vector<Ticket>& batch);
  [[nodiscard]] bool may_start(Clock::time_point now) const;
  [[nodiscard]] std::vector<Ticket> take_batch();
  [[nodiscard]] std::size_t share_of(std::size_t lines) const;
  void check_room(int64_t lines) const;

  BatchOptions options_;
  Statistics& statistics_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Ticket> waiting_;  // oldest first
  std::deque<std::function<void()>> tasks_;
  int64_t expected_ = 0;  // lines, for which those that wait do; as many came together last time
  bool task_is_next_ = true;  // where both wait
  bool stopping_ = false;
  int64_t busy_ = 0;  // threads
  std::vector<std::thread> threads_;
};

}  // namespace attend::server
