#include "server/search/search_queue.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "core/error.h"
#include "server/http/api_error.h"
#include "tests/cli/tiny_model.h"
#include "tests/server/spoil.h"
#include "tests/support/tested_device.h"

namespace attend::server {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class SearchQueueTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_.emplace();
    const auto model = cli::test::train_tiny_model(*dir_, "model", {"data.max_length=200"});
    models_ = app::load_models({model.string()}, attend::test::tested_device());
    translator_ = std::make_unique<app::Translator>(models_, decode::StepExecution{});
  }
  static void TearDownTestSuite() {
    translator_.reset();
    models_.clear();
    dir_.reset();
  }

  static SearchJob job_of(const std::string& line) {
    SearchJob job;
    job.translator = translator_.get();
    job.lines.push_back(translator_->prepare(line, 1, ""));
    job.is_abandoned = [] { return false; };
    return job;
  }
  static std::string directory() { return (*dir_ / "model").string(); }
  static std::string alone(const std::string& line) {
    const auto source = translator_->prepare(line, 1, "");
    return translator_->translate({&source}, {}).front().front().line.text;
  }

  /// Adds the job; the future gets its first translation or the error.
  static std::future<std::string> add(SearchQueue& queue, SearchJob job) {
    auto promise = std::make_shared<std::promise<std::string>>();
    job.done = [promise](auto results, std::exception_ptr error) {
      if (error) return promise->set_exception(error);
      promise->set_value(results.front().front().line.text);
    };
    auto future = promise->get_future();
    queue.add(std::move(job));
    return future;
  }

  /// Keeps the only thread of a queue busy until it is released.
  struct Hold {
    explicit Hold(SearchQueue& queue) {
      queue.add([this] {
        begun.set_value();
        go.get_future().wait();
      });
      begun.get_future().wait();
    }
    std::promise<void> go;
    std::promise<void> begun;
  };

  Statistics statistics_;

 private:
  static std::optional<attend::test::TempDir> dir_;
  static std::vector<app::LoadedModel> models_;
  static std::unique_ptr<app::Translator> translator_;
};

std::optional<attend::test::TempDir> SearchQueueTest::dir_;
std::vector<app::LoadedModel> SearchQueueTest::models_;
std::unique_ptr<app::Translator> SearchQueueTest::translator_;

TEST_F(SearchQueueTest, SearchesWaitingLinesInOneBatch) {
  SearchQueue queue({.threads = 1}, statistics_);
  Hold hold(queue);
  std::vector<std::future<std::string>> found;
  for (const char* line : {"a b", "b c d", "c"}) found.push_back(add(queue, job_of(line)));
  hold.go.set_value();
  EXPECT_EQ(found[0].get(), alone("a b"));
  EXPECT_EQ(found[1].get(), alone("b c d"));
  EXPECT_EQ(found[2].get(), alone("c"));
  EXPECT_THAT(statistics_.text(),
              HasSubstr("attend_batch_lines_sum 3\nattend_batch_lines_count 1"));
}

TEST_F(SearchQueueTest, RefusesAJobWithoutLines) {
  SearchQueue queue({.threads = 1}, statistics_);
  SearchJob job = job_of("a b");
  job.lines.clear();
  EXPECT_THROW(queue.add(std::move(job)), std::logic_error);
}

// A document that has begun is not refused in the middle.
TEST_F(SearchQueueTest, AdmitsJobsWithTheJobsThatFollow) {
  SearchQueue queue({.most_waiting = 4, .threads = 1}, statistics_);
  Hold hold(queue);
  const auto with = [](Admission admission) {
    SearchJob job = job_of("a b");
    job.admission = admission;
    return job;
  };
  EXPECT_THROW((void)add(queue, with({.later = 4})), ApiError);
  std::vector<std::future<std::string>> found;
  found.push_back(add(queue, with({.later = 3})));
  for (int i = 0; i < 3; ++i) found.push_back(add(queue, job_of("a b")));
  EXPECT_THROW((void)add(queue, job_of("a b")), ApiError);
  found.push_back(add(queue, with({.is_given = true})));
  hold.go.set_value();
  for (auto& one : found) EXPECT_EQ(one.get(), alone("a b"));
}

/// Blocks the first search until another one has begun.
class Meeting {
 public:
  void come() {
    std::unique_lock lock(mutex_);
    come_.insert(std::this_thread::get_id());
    changed_.notify_all();
    (void)changed_.wait_for(lock, 10s, [this] { return come_.size() >= 2; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::thread::id> come_;
};

TEST_F(SearchQueueTest, LeavesNoThreadIdleWhileLinesWait) {
  Meeting meeting;
  SearchQueue queue({.threads = 2}, statistics_);
  SearchJob job = job_of("a b");
  for (int i = 0; i < 7; ++i) job.lines.push_back(job.lines.front());
  job.is_abandoned = [&] { return meeting.come(), false; };
  EXPECT_EQ(add(queue, std::move(job)).get(), alone("a b"));
  EXPECT_THAT(statistics_.text(),
              HasSubstr("attend_batch_lines_sum 8\nattend_batch_lines_count 2"));
}

TEST_F(SearchQueueTest, WaitsForNoMoreLinesThanTheLastBatchHad) {
  SearchQueue queue({.wait = 1h, .threads = 1}, statistics_);
  for (int round = 0; round < 2; ++round) {
    Hold hold(queue);
    auto first = add(queue, job_of("a b"));
    auto second = add(queue, job_of("b c"));
    hold.go.set_value();
    EXPECT_EQ(first.wait_for(20s), std::future_status::ready) << "round " << round;
    EXPECT_EQ(second.wait_for(20s), std::future_status::ready) << "round " << round;
  }
}

TEST_F(SearchQueueTest, SeparatesLongLinesFromShortLines) {
  SearchQueue queue({.threads = 1}, statistics_);
  Hold hold(queue);
  std::string longer;
  for (int i = 0; i < 60; ++i) longer += "a ";
  auto first = add(queue, job_of(longer));
  auto second = add(queue, job_of("a b"));
  hold.go.set_value();
  EXPECT_EQ(first.get(), alone(longer));
  EXPECT_EQ(second.get(), alone("a b"));
  EXPECT_THAT(statistics_.text(), HasSubstr("attend_batch_lines_count 2"));
}

// 4 lines of 128 pieces are 512 pieces; of lines with 200 pieces only two fit.
TEST_F(SearchQueueTest, SearchesFewerLongLinesTogether) {
  SearchQueue queue({.most_lines = 4, .threads = 1}, statistics_);
  Hold hold(queue);
  std::string longer;
  for (int i = 0; i < 200; ++i) longer += "a ";
  SearchJob job = job_of(longer);
  for (int i = 0; i < 3; ++i) job.lines.push_back(job.lines.front());
  auto found = add(queue, std::move(job));
  hold.go.set_value();
  EXPECT_EQ(found.get(), alone(longer));
  EXPECT_THAT(statistics_.text(),
              HasSubstr("attend_batch_lines_sum 4\nattend_batch_lines_count 2"));
}

// 4 lines of 10 hypotheses are 40 hypotheses; of lines with a beam of 20 only two fit.
TEST_F(SearchQueueTest, SearchesFewerLinesWithWideBeamsTogether) {
  SearchQueue queue({.most_lines = 4, .threads = 1}, statistics_);
  Hold hold(queue);
  SearchJob job = job_of("a b");
  job.options.decoding.beam = 20;
  for (int i = 0; i < 3; ++i) job.lines.push_back(job.lines.front());
  auto found = add(queue, std::move(job));
  hold.go.set_value();
  (void)found.get();
  EXPECT_THAT(statistics_.text(),
              HasSubstr("attend_batch_lines_sum 4\nattend_batch_lines_count 2"));
}

// 2 * 200 + 10 pieces of output are as much work as a line of 205 pieces, of which two fit.
TEST_F(SearchQueueTest, SearchesFewerLinesWithLongOutputsTogether) {
  SearchQueue queue({.most_lines = 4, .threads = 1}, statistics_);
  Hold hold(queue);
  SearchJob job = job_of("a b");
  job.options.decoding.max_length_ratio = 200;
  for (int i = 0; i < 3; ++i) job.lines.push_back(job.lines.front());
  auto found = add(queue, std::move(job));
  hold.go.set_value();
  (void)found.get();
  EXPECT_THAT(statistics_.text(),
              HasSubstr("attend_batch_lines_sum 4\nattend_batch_lines_count 2"));
}

TEST_F(SearchQueueTest, SeparatesLinesWithOtherOptions) {
  SearchQueue queue({.threads = 1}, statistics_);
  Hold hold(queue);
  auto wider = job_of("a b"), without_repeats = job_of("a b");
  wider.options.decoding.beam = 2;
  without_repeats.options.decoding.no_repeat_ngram_size = 2;
  auto first = add(queue, job_of("a b"));
  auto second = add(queue, std::move(wider));
  auto third = add(queue, std::move(without_repeats));
  hold.go.set_value();
  for (auto* found : {&first, &second, &third}) (void)found->get();
  EXPECT_THAT(statistics_.text(), HasSubstr("attend_batch_lines_count 3"));
}

/// A job of `lines` lines, which shares no batch with jobs that have another beam. Each of its
/// searches appends `name` to `turns` unless it is already the last entry.
SearchJob named(SearchJob job, int lines, int64_t beam, const std::string& name,
                std::vector<std::string>& turns) {
  while (std::cmp_less(job.lines.size(), lines)) job.lines.push_back(job.lines.front());
  job.options.decoding.beam = beam;
  job.is_abandoned = [&turns, name] {
    if (turns.empty() || turns.back() != name) turns.push_back(name);
    return false;
  };
  return job;
}

// Regression: a single line waited until all 1,000 lines of another client were translated.
TEST_F(SearchQueueTest, JobsTakeTurns) {
  std::vector<std::string> turns;
  SearchQueue queue({.most_lines = 2, .threads = 1}, statistics_);
  Hold hold(queue);
  auto longer = add(queue, named(job_of("a b"), 6, 2, "long", turns));
  auto single = add(queue, named(job_of("a b"), 1, 3, "single", turns));
  auto other = add(queue, named(job_of("a b"), 3, 4, "other", turns));
  hold.go.set_value();
  for (auto* found : {&longer, &single, &other}) (void)found->get();
  EXPECT_THAT(turns, ElementsAre("long", "single", "other", "long", "other", "long"));
}

// A client with several connections gets no more turns.
TEST_F(SearchQueueTest, ClientsTakeTurns) {
  std::vector<std::string> turns;
  SearchQueue queue({.most_lines = 1, .threads = 1}, statistics_);
  Hold hold(queue);
  std::vector<std::future<std::string>> found;
  const auto add_job = [&](int lines, int64_t beam, const std::string& name) {
    SearchJob job = named(job_of("a b"), lines, beam, name, turns);
    job.client = name.substr(0, 1);
    found.push_back(add(queue, std::move(job)));
  };
  add_job(2, 2, "a1");
  add_job(2, 3, "a2");
  add_job(2, 4, "b");
  hold.go.set_value();
  for (auto& one : found) (void)one.get();
  EXPECT_THAT(turns, ElementsAre("a1", "b", "a2", "b", "a1", "a2"));
}

TEST_F(SearchQueueTest, AFailingJobDoesNotFailOthers) {
  const auto models = app::load_models({directory()}, attend::test::tested_device());
  test::spoil(models.front(), "d");
  const app::Translator spoiled(models, decode::StepExecution{});
  SearchQueue queue({.threads = 1}, statistics_);
  Hold hold(queue);
  std::vector<std::future<std::string>> found;
  for (const char* line : {"a b", "b d c", "c"}) {
    auto job = job_of(line);
    job.translator = &spoiled;
    found.push_back(add(queue, std::move(job)));
  }
  hold.go.set_value();
  EXPECT_EQ(found[0].get(), alone("a b"));
  EXPECT_THROW((void)found[1].get(), NumericError);
  EXPECT_EQ(found[2].get(), alone("c"));
}

TEST_F(SearchQueueTest, SearchesNothingForDisconnectedClients) {
  SearchQueue queue({.threads = 1}, statistics_);
  auto job = job_of("a b");
  job.is_abandoned = [] { return true; };
  auto found = add(queue, std::move(job));
  EXPECT_THROW((void)found.get(), decode::SearchCancelled);
}

TEST_F(SearchQueueTest, FinishesWaitingJobsWhenItEnds) {
  std::future<std::string> found;
  {
    SearchQueue queue({.threads = 1}, statistics_);
    found = add(queue, job_of("a b"));
  }
  EXPECT_EQ(found.get(), alone("a b"));
}

}  // namespace
}  // namespace attend::server
