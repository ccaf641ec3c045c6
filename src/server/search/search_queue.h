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
#include <string>
#include <thread>
#include <vector>

#include "app/translate/translator.h"
#include "decode/search/search_control.h"
#include "server/search/statistics.h"

namespace attend::server {

/// Limits of batches and of the queue.
struct BatchOptions {
  /// Lines in a batch; fewer if lines or outputs are long (BatchSize) or have over 10 hypotheses.
  int64_t most_lines = 64;
  std::chrono::milliseconds wait{5};  ///< longest wait of a line for a larger batch
  int64_t most_waiting = 4096;        ///< lines in the queue
  int64_t threads = 1;                ///< number of threads that search
};

/// The room that a job needs to enter the queue.
struct Admission {
  std::size_t later = 0;  ///< lines of further jobs that must have room, too
  bool is_given = false;  ///< the job is among the further ones of an admitted job
};

/// Lines to translate with one set of options.
struct SearchJob {
  const app::Translator* translator = nullptr;  ///< outlives the job
  decode::SearchOptions options;
  std::vector<app::SourceLine> lines;        ///< at least one; none may be empty()
  decode::SearchControl* control = nullptr;  ///< if set, the job is searched alone
  std::function<bool()> is_abandoned;        ///< true if the client has disconnected
  std::string client = {};                   ///< IP address; the jobs of a client share its turns
  Admission admission = {};
  /// Called once, by the thread that searched the last line, with results in the order of the lines
  /// or with an error. Must not throw.
  std::function<void(std::vector<std::vector<app::Translation>>, std::exception_ptr)> done;
};

/// A queue of lines and the threads that search them. Lines of different jobs are searched in one
/// batch if they have the same model and options and similar lengths; this does not change their
/// results. If a batch of several jobs fails, each job is searched again alone, so that only the
/// failing job gets the error. Each search uses one thread, because the steps of a small search are
/// too short to share. Idle threads divide the waiting lines among them. Clients take turns, and so
/// do the jobs of one client. Each batch begins with the oldest line of the job whose turn it is,
/// so that a long job delays others by about one batch.
class SearchQueue {
 public:
  /// Starts the threads. Keeps a reference to the statistics.
  SearchQueue(const BatchOptions& options, Statistics& statistics);
  /// Finishes all waiting jobs and tasks.
  ~SearchQueue();
  SearchQueue(const SearchQueue&) = delete;
  SearchQueue& operator=(const SearchQueue&) = delete;

  /// Throws ApiError 429 if the queue is full, 413 for a job with too many lines, std::logic_error
  /// for a job without lines.
  void add(SearchJob job);
  /// Adds other work, such as forced decoding, which takes turns with searches. It must not throw.
  /// Throws like add(SearchJob).
  void add(std::function<void()> task);

 private:
  struct Progress;
  struct Ticket;
  /// Results of a batch, in the order of its lines.
  struct Found {
    std::vector<std::vector<app::Translation>> results;
    std::exception_ptr error;
  };
  using Clock = std::chrono::steady_clock;

  void work();
  /// Releases the lock during the work.
  void do_unlocked(std::unique_lock<std::mutex>& lock, const std::function<void()>& work);
  void search(std::vector<Ticket> batch);
  void search_apart(std::vector<Ticket> batch);
  [[nodiscard]] Found find(const std::vector<Ticket>& batch);
  [[nodiscard]] static bool of_one_job(const std::vector<Ticket>& batch);
  [[nodiscard]] bool may_start(Clock::time_point now) const;
  [[nodiscard]] std::vector<Ticket> take_batch();
  void end_turn(const std::vector<Ticket>& batch);
  [[nodiscard]] std::size_t share_of(std::size_t lines) const;
  void check_room(int64_t lines) const;

  BatchOptions options_;
  Statistics& statistics_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Ticket> waiting_;  // in the order of their turns; the oldest of each job first
  std::deque<std::function<void()>> tasks_;
  int64_t expected_ = 0;      // lines in the last batch if it had several jobs; 0: do not wait
  bool task_is_next_ = true;  // if both a task and lines are waiting
  bool stopping_ = false;
  int64_t busy_ = 0;  // threads at work
  std::vector<std::thread> threads_;
};

}  // namespace attend::server
