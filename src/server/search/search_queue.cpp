#include "server/search/search_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "decode/length_batches.h"
#include "runtime/side_by_side.h"
#include "server/http/api_error.h"

namespace attend::server {

namespace {

/// True if the job can share a batch, because nothing in it delays or changes other searches.
bool is_plain(const SearchJob& job) {
  return job.control == nullptr && !job.options.sampling &&
         std::all_of(job.lines.begin(), job.lines.end(), [](const app::SourceLine& line) {
           const decode::SearchSentence& sentence = line.sentence;
           return sentence.prefix.empty() && sentence.forced_attention.empty() &&
                  sentence.constraint == nullptr && sentence.required == nullptr;
         });
}

}  // namespace

/// A job with the results so far.
struct SearchQueue::Progress {
  explicit Progress(SearchJob given)
      : job(std::move(given)), plain(is_plain(job)), results(job.lines.size()) {}

  SearchJob job;
  bool plain;  // may share a batch with other jobs
  std::vector<std::vector<app::Translation>> results;
  std::size_t left = job.lines.size();
  std::exception_ptr error;
  std::mutex mutex;  // guards `left` and `error`
};

namespace {

/// True if two plain jobs can share a batch.
bool same_search(const SearchJob& a, const SearchJob& b) {
  return a.translator == b.translator && a.options.n_best == b.options.n_best &&
         a.options.keep_attention == b.options.keep_attention &&
         a.options.decoding == b.options.decoding;
}

/// True if lines of these lengths in one batch delay the shorter line only a little.
bool similar(int64_t a, int64_t b) {
  constexpr int64_t kAnyway = 16;  // pieces
  return std::max(a, b) <= 2 * std::min(a, b) + kAnyway;
}

/// Cancels a search if the clients of all its jobs have disconnected; forwards to the job's own
/// control.
class BatchControl final : public decode::SearchControl {
 public:
  explicit BatchControl(std::vector<const SearchJob*> jobs) : jobs_(std::move(jobs)) {}

  bool is_cancelled() override {
    if (own() != nullptr && own()->is_cancelled()) return true;
    return std::all_of(jobs_.begin(), jobs_.end(),
                       [](const SearchJob* job) { return job->is_abandoned(); });
  }
  void on_step(const decode::SearchStep& step) override {
    if (own() != nullptr) own()->on_step(step);
  }

 private:
  [[nodiscard]] decode::SearchControl* own() const { return jobs_.front()->control; }

  std::vector<const SearchJob*> jobs_;
};

}  // namespace

/// A line of a job.
struct SearchQueue::Ticket {
  std::shared_ptr<Progress> progress;
  std::size_t place = 0;
  Clock::time_point since;

  [[nodiscard]] const app::SourceLine& line() const { return progress->job.lines[place]; }
  [[nodiscard]] int64_t length() const { return std::ssize(line().line.pieces); }
  [[nodiscard]] bool goes_with(const Ticket& other) const {
    return progress == other.progress || (progress->plain && other.progress->plain &&
                                          same_search(progress->job, other.progress->job));
  }
};

SearchQueue::SearchQueue(const BatchOptions& options, Statistics& statistics)
    : options_(options), statistics_(statistics) {
  for (int64_t i = 0; i < options.threads; ++i) threads_.emplace_back([this] { work(); });
}

SearchQueue::~SearchQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void SearchQueue::check_room(int64_t lines) const {
  if (lines > options_.most_waiting) {
    throw ApiError(413, "too_large",
                   fmt::format("{} lines exceed the limit of the queue ({}); split the request",
                               lines, options_.most_waiting));
  }
  if (std::ssize(waiting_) + std::ssize(tasks_) + lines <= options_.most_waiting) return;
  throw ApiError(429, "too_many_requests",
                 fmt::format("{} lines and pairs are already waiting; try again in a moment",
                             waiting_.size() + tasks_.size()));
}

void SearchQueue::add(SearchJob job) {
  const auto progress = std::make_shared<Progress>(std::move(job));
  const std::size_t lines = progress->job.lines.size();
  if (lines == 0) throw std::logic_error("a search job has no lines");
  {
    const std::lock_guard lock(mutex_);
    const Admission& admission = progress->job.admission;
    if (!admission.is_given) check_room(static_cast<int64_t>(lines + admission.later));
    const auto now = Clock::now();
    for (std::size_t i = 0; i < lines; ++i) waiting_.push_back({progress, i, now});
    statistics_.set_waiting(std::ssize(waiting_));
  }
  changed_.notify_all();
}

void SearchQueue::add(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    check_room(1);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_all();
}

/// The loop of each thread. Holds the lock except during the work.
void SearchQueue::work() {
  runtime::use_threads(1);
  std::unique_lock lock(mutex_);
  while (true) {
    if (!tasks_.empty() && (std::exchange(task_is_next_, false) || !may_start(Clock::now()))) {
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      do_unlocked(lock, task);
    } else if (may_start(Clock::now())) {
      task_is_next_ = true;
      auto batch = take_batch();
      do_unlocked(lock, [&] { search(std::move(batch)); });
    } else if (!waiting_.empty()) {
      changed_.wait_until(lock, waiting_.front().since + options_.wait);
    } else if (stopping_) {
      return;
    } else {
      changed_.wait(lock);
    }
  }
}

void SearchQueue::do_unlocked(std::unique_lock<std::mutex>& lock,
                              const std::function<void()>& work) {
  ++busy_;
  lock.unlock();
  work();
  lock.lock();
  --busy_;
}

/// True if a batch may start. Lines wait for others only if the last batch had several jobs.
bool SearchQueue::may_start(Clock::time_point now) const {
  if (waiting_.empty()) return false;
  return stopping_ || std::ssize(waiting_) >= expected_ ||
         now >= waiting_.front().since + options_.wait;
}

namespace {

/// The number of lines in a batch, at least 1: fewer than `most` if a line has many hypotheses,
/// because other clients wait for the whole batch.
int64_t fewer_for_wide_beams(int64_t most, const decode::SearchOptions& options) {
  constexpr int64_t kUsual = 10;  // hypotheses
  return std::max<int64_t>(
      1, most * kUsual / std::max({kUsual, options.decoding.beam, options.n_best}));
}

/// The length of a line for batching: its pieces, or half of its longest possible output if that is
/// more, since required phrases and max_length_ratio allow outputs much longer than the line.
std::size_t length_of_work(const app::SourceLine& line, const decode::DecodingOptions& options) {
  constexpr int64_t kUsualRatio = 2;
  return static_cast<std::size_t>(std::max<int64_t>(
      std::ssize(line.line.pieces), decode::longest_output(line.sentence, options) / kUsualRatio));
}

/// The number of leading tickets that fit into a batch, which is smaller for long lines, long
/// outputs and wide beams.
template <class Tickets>
std::size_t lines_that_fit(const Tickets& tickets, int64_t most) {
  const decode::SearchOptions& options = tickets.front()->progress->job.options;
  const decode::BatchSize size{.size = fewer_for_wide_beams(most, options)};
  std::size_t longest = 0;
  std::size_t count = 0;
  for (; count < tickets.size(); ++count) {
    longest = std::max(longest, length_of_work(tickets[count]->line(), options.decoding));
    if (std::cmp_greater_equal(count, size.lines(longest))) break;
  }
  return count;
}

/// Moves the elements for which `is_chosen` is true to the end and keeps their order.
template <class Element, class Predicate>
void move_to_end(std::list<Element>& list, const Predicate& is_chosen) {
  std::list<Element> chosen;
  for (auto place = list.begin(); place != list.end();) {
    const auto next = std::next(place);
    if (is_chosen(*place)) chosen.splice(chosen.end(), list, place);
    place = next;
  }
  list.splice(list.end(), chosen);
}

}  // namespace

/// Takes the line whose turn it is and, of lines that can join it, those nearest in length.
std::vector<SearchQueue::Ticket> SearchQueue::take_batch() {
  const Ticket& oldest = waiting_.front();
  std::vector<std::list<Ticket>::iterator> fitting;
  for (auto ticket = waiting_.begin(); ticket != waiting_.end(); ++ticket) {
    if (ticket->goes_with(oldest) && similar(ticket->length(), oldest.length()))
      fitting.push_back(ticket);
  }
  const int64_t length = oldest.length();
  const auto distance = [length](const auto& ticket) {
    return std::abs(ticket->length() - length);
  };
  std::stable_sort(fitting.begin() + 1, fitting.end(),
                   [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  fitting.resize(std::min(share_of(fitting.size()), lines_that_fit(fitting, options_.most_lines)));
  std::vector<Ticket> batch;
  for (const auto& ticket : fitting) {
    batch.push_back(std::move(*ticket));
    waiting_.erase(ticket);
  }
  end_turn(batch);
  expected_ = of_one_job(batch) ? 0 : std::ssize(batch);
  statistics_.set_waiting(std::ssize(waiting_));
  return batch;
}

/// Moves lines of the batch's clients to the end of the queue, those of its jobs to the very end.
void SearchQueue::end_turn(const std::vector<Ticket>& batch) {
  std::set<std::string> clients;
  std::set<const Progress*> jobs;
  for (const Ticket& ticket : batch) {
    clients.insert(ticket.progress->job.client);
    jobs.insert(ticket.progress.get());
  }
  move_to_end(waiting_, [&](const Ticket& t) { return clients.contains(t.progress->job.client); });
  move_to_end(waiting_, [&](const Ticket& t) { return jobs.contains(t.progress.get()); });
}

/// The share of this thread if the idle threads divide `lines` lines.
std::size_t SearchQueue::share_of(std::size_t lines) const {
  const auto idle = static_cast<std::size_t>(options_.threads - busy_);  // including this one
  return (lines + idle - 1) / idle;
}

namespace {

template <class Tickets>
std::vector<const SearchJob*> jobs_of(const Tickets& batch) {
  std::vector<const SearchJob*> jobs;
  for (const auto& ticket : batch) jobs.push_back(&ticket.progress->job);
  return jobs;
}

bool is_cancellation(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const decode::SearchCancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

SearchQueue::Found SearchQueue::find(const std::vector<Ticket>& batch) {
  const SearchJob& first = batch.front().progress->job;
  Found found{.results = std::vector<std::vector<app::Translation>>(batch.size()), .error = {}};
  const auto start = Clock::now();
  try {
    std::vector<const app::SourceLine*> lines;
    for (const Ticket& ticket : batch) lines.push_back(&ticket.line());
    BatchControl control(jobs_of(batch));
    if (control.is_cancelled()) throw decode::SearchCancelled();
    found.results = first.translator->translate(lines, first.options, &control);
  } catch (...) {
    found.error = std::current_exception();
  }
  statistics_.add_batch(std::ssize(batch),
                        std::chrono::duration<double>(Clock::now() - start).count());
  return found;
}

void SearchQueue::search(std::vector<Ticket> batch) {
  Found found = find(batch);
  if (found.error && !is_cancellation(found.error) && !of_one_job(batch))
    return search_apart(std::move(batch));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Progress& progress = *batch[i].progress;
    bool last = false;
    {
      const std::lock_guard lock(progress.mutex);
      progress.results[batch[i].place] = std::move(found.results[i]);
      if (found.error) progress.error = found.error;
      last = --progress.left == 0;
    }
    if (last) progress.job.done(std::move(progress.results), progress.error);
  }
}

void SearchQueue::search_apart(std::vector<Ticket> batch) {
  std::map<const Progress*, std::vector<Ticket>> jobs;
  for (Ticket& ticket : batch) jobs[ticket.progress.get()].push_back(std::move(ticket));
  for (auto& [job, tickets] : jobs) search(std::move(tickets));
}

bool SearchQueue::of_one_job(const std::vector<Ticket>& batch) {
  return std::all_of(batch.begin(), batch.end(), [&](const Ticket& ticket) {
    return ticket.progress == batch.front().progress;
  });
}

}  // namespace attend::server
