#include "distributed/store_group.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <future>
#include <utility>

#include "core/error.h"
#include "distributed/kernel_namespace.h"
#include "distributed/peer_error.h"
#include "distributed/shared_memory.h"

namespace attend::distributed {
namespace {

using std::chrono::milliseconds;

// How long a process that noticed a failure waits for others to notice it too. Those that do are
// alive.
constexpr milliseconds kTimeToNotice(1500);
constexpr milliseconds kTimeForHeartbeats(1600);  // three heartbeats
// Time that a launcher takes to end the remaining processes.
constexpr milliseconds kTimeToEnd(5000);
constexpr milliseconds kPartingPoll(5);
constexpr const char* kFailed = "failed";  // a note of any process that reports a failure

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string first_line(const std::string& message) {
  return message.substr(0, message.find('\n'));
}

}  // namespace

StoreGroup::StoreGroup(const Place& place, OpenSums open_sums)
    : place_(place),
      open_sums_(std::move(open_sums)),
      names_(static_cast<std::size_t>(place.size)) {
  for (int64_t rank = 0; rank < place.size; ++rank)
    names_[static_cast<std::size_t>(rank)] = fmt::format("rank {}", rank);
  try {
    rendezvous_ = std::make_unique<Rendezvous>(place);
    meet();
  } catch (const PeerLost& lost) {
    throw_lost(lost);
  }
}

StoreGroup::~StoreGroup() = default;

void StoreGroup::meet() {
  const std::string here = host_name() + '\n' + kernel_namespace("net");
  rendezvous_->post(fmt::format("peer/{}", rank()), here);
  bool one_machine = true;
  for (int64_t other = 0; other < size(); ++other) {
    const std::string there = rendezvous_->await(fmt::format("peer/{}", other), other);
    one_machine = one_machine && there == here;
    names_[static_cast<std::size_t>(other)] =
        fmt::format("rank {} (host {})", other, first_line(there));
  }
  place_.one_machine = place_.one_machine || one_machine;
}

std::string StoreGroup::name_of(int64_t rank) const {
  return names_.at(static_cast<std::size_t>(rank));
}

void StoreGroup::connect(milliseconds timeout, torch::Device device) {
  // The time limit is less than `timeout`, so that the whole job has ended after `timeout`.
  const milliseconds margin = kTimeToNotice + kTimeForHeartbeats + kTimeToEnd;
  const milliseconds own = std::max(timeout - margin, timeout / 2);
  watch_processes();
  rendezvous_->set_timeout(own);
  open_all_sums(links(own), device);
  if (device.is_cpu()) share_memory(own);
  // Waits for all: a process that ended now would break connections that others are still setting
  // up.
  static_cast<void>(exchange("connected", ""));
}

void StoreGroup::watch_processes() {
  for (const std::string& note : exchange("connect", ProcessWatch::own_note()))
    watches_.emplace_back(note);
}

Links StoreGroup::links(milliseconds timeout) {
  return {.place = place_,
          .rendezvous = *rendezvous_,
          .timeout = timeout,
          .exchange = [this](const std::string& topic,
                             const std::string& note) { return exchange(topic, note); },
          .check = [this] { check_peers(); }};
}

void StoreGroup::check_peers() {
  for (int64_t other = 0; other < size(); ++other)
    if (watches_[static_cast<std::size_t>(other)].has_ended())
      throw LostContact("the process of " + name_of(other) + " has ended");
  try {
    if (const auto failed = rendezvous_->find(kFailed)) throw LostContact(*failed);
  } catch (const PeerLost& lost) {
    throw LostContact(lost.why);
  }
}

void StoreGroup::open_all_sums(const Links& links, torch::Device device) {
  try {
    sums_ = open_sums_(torch::kCPU, links);
    if (!device.is_cpu()) sums_of_gpus_ = open_sums_(device, links);
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {
    throw_missing("connecting", error.what());
  }
}

void StoreGroup::share_memory(milliseconds timeout) {
  // If the user names an interface, messages must go through it, so memory is not shared.
  const bool willing = place_.one_machine && std::getenv("GLOO_SOCKET_IFNAME") == nullptr;
  memory_ = SharedMemory::open({rank(),
                                [this, willing, count = 0](const std::string& note) mutable {
                                  const auto topic = fmt::format("memory/{}", ++count);
                                  return exchange(topic, willing ? note : "");
                                },
                                [this](const std::string& why) { throw_missing("an update", why); },
                                timeout});
}

template <class Task>
void StoreGroup::run_collective(const char* what, const Task& task) {
  try {
    task();
  } catch (const LostContact& error) {
    throw_missing(what, error.what());
  }
}

Sums& StoreGroup::sums_of(const torch::Tensor& values) const {
  if (values.is_cpu()) return *sums_;
  if (!sums_of_gpus_) throw std::logic_error("StoreGroup: connected for CPU tensors only");
  return *sums_of_gpus_;
}

void StoreGroup::begin_sum(const torch::Tensor& values, Wire wire) {
  sums_of(values).begin(values, wire);
}

void StoreGroup::finish_sums() {
  run_collective("a sum", [this] {
    sums_->finish();
    if (sums_of_gpus_) sums_of_gpus_->finish();
  });
}

void StoreGroup::take_from_first(const torch::Tensor& values) {
  run_collective("a copy", [&] { sums_of(values).take_from_first(values); });
}

std::string StoreGroup::lead(const std::string& key, const std::function<std::string()>& task) {
  try {
    const std::string text = task();
    rendezvous_->post(key, "0 " + text);
    return text;
  } catch (const UserError& error) {
    if (rendezvous_)
      rendezvous_->post(key,
                        fmt::format("{} {}", static_cast<int>(error.exit_code()), error.what()));
    throw;
  }
}

std::string StoreGroup::decide(const std::function<std::string()>& task) {
  const std::string key = fmt::format("decision/{}", ++decisions_);
  try {
    if (rank() == 0) return lead(key, task);
    const std::string note = rendezvous_->await(key, 0);
    const std::size_t space = note.find(' ');
    const int code = std::stoi(note.substr(0, space));
    if (code != 0) throw FailedForAll(code, note.substr(space + 1));
    return note.substr(space + 1);
  } catch (const PeerLost& lost) {
    throw_lost(lost);
  }
}

std::vector<std::string> StoreGroup::collect(const std::string& note) {
  const auto key = [number = ++collections_](int64_t rank) {
    return fmt::format("collection/{}/{}", number, rank);
  };
  try {
    if (rank() != 0) {
      rendezvous_->post(key(rank()), note);
      return {};
    }
    std::vector<std::string> notes = {note};
    for (int64_t other = 1; other < size(); ++other)
      notes.push_back(rendezvous_->take(key(other), other));
    return notes;
  } catch (const PeerLost& lost) {
    // Processes that wait for a decision learn of the failure only this way.
    if (rank() == 0 && lost.rank) report_failure(name_of(*lost.rank) + " " + lost.why);
    throw_lost(lost);
  }
}

std::vector<std::string> StoreGroup::exchange(const std::string& topic, const std::string& note) {
  try {
    rendezvous_->post(fmt::format("{}/{}", topic, rank()), note);
    std::vector<std::string> notes;
    for (int64_t other = 0; other < size(); ++other)
      notes.push_back(rendezvous_->await(fmt::format("{}/{}", topic, other), other));
    return notes;
  } catch (const PeerLost& lost) {
    throw_lost(lost);
  }
}

void StoreGroup::report_failure(const std::string& message) noexcept {
  try {
    rendezvous_->post(fmt::format("failure/{}", rank()), first_line(message));
    rendezvous_->post(kFailed, first_line(message));
  } catch (...) {
    // Ignored: the store is gone, so no process could read the report.
  }
}

void StoreGroup::part() noexcept {
  try {
    if (rank() == 0) return end_last();
    wait_for_end();
    rendezvous_->post(fmt::format("parted/{}", rank()), "");
  } catch (...) {
    // Ignored: the process to wait for has ended.
  }
}

void StoreGroup::wait_for_end() {
  try {
    static_cast<void>(rendezvous_->await("end", 0));
  } catch (const PeerLost&) {
    // Stops waiting: the first process has failed or ended.
  }
}

/// Ends the first process, which hosts the store, last: others may still have to read decisions.
void StoreGroup::end_last() {
  rendezvous_->post("end", "");
  if (place_.meets_launcher) return;
  const auto until = std::chrono::steady_clock::now() + kTimeToEnd;
  for (int64_t other = 1; other < size(); ++other) {
    const std::string parted = fmt::format("parted/{}", other);
    while (!rendezvous_->find(parted) && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(kPartingPoll);
    }
  }
}

/// Leaks objects whose destructors may hang, since the process is about to end.
void StoreGroup::throw_lost(const PeerLost& lost) {
  const std::string who = lost.rank ? name_of(*lost.rank) + " " : "";
  const int64_t first = lost.rank == 0 ? 1 : 0;
  static_cast<void>(rendezvous_.release());
  // The first process reports its own failures to the user.
  const bool speaks =
      !lost.rank || (rank() == first && !(lost.rank == 0 && lost.reported_by_itself));
  throw PeerError(who + lost.why, speaks);
}

void StoreGroup::throw_missing(const std::string& what, const std::string& why) {
  abandon_sums();
  // Searches in another thread, because the host of the store may be the process that hangs.
  auto search = std::async(std::launch::async, [this] { return find_missing(); });
  const bool known =
      search.wait_for(2 * (kTimeToNotice + kTimeForHeartbeats)) == std::future_status::ready;
  Finding finding;
  if (known) {
    finding = search.get();
  } else {
    // The store does not answer. Unless the launcher hosts it, rank 0 hangs.
    if (rank() != 0) finding.missing = {0};
    finding.speaks = rank() <= 1;
    static_cast<void>(new std::future<Finding>(std::move(search)));  // its destructor would wait
  }
  std::string who;
  for (const int64_t missing : finding.missing) who += (who.empty() ? "" : ", ") + name_of(missing);
  const std::string message =
      who.empty() ? fmt::format("the connection to another process broke: {}", first_line(why))
                  : fmt::format("{} {}", who,
                                finding.failure.empty() ? "no longer answers"
                                                        : "failed: " + finding.failure);
  // Other processes may be ahead and wait for a decision of the first process.
  if (rank() == 0 && known) report_failure(message);
  static_cast<void>(rendezvous_.release());
  throw PeerError(fmt::format("{} (in {})", message, what), finding.speaks);
}

/// Leaks the objects, because their destructors may wait for the lost processes.
void StoreGroup::abandon_sums() {
  for (std::unique_ptr<Sums>* const sums : {&sums_, &sums_of_gpus_}) {
    if (*sums) (*sums)->abandon();
    static_cast<void>(sums->release());
  }
}

StoreGroup::Finding StoreGroup::find_missing() {
  try {
    rendezvous_->post(fmt::format("noticed/{}", rank()), "");
    return wait_for_notices();
  } catch (const PeerLost& lost) {
    Finding finding;
    if (lost.rank) finding.missing = {*lost.rank};
    finding.speaks = rank() == (lost.rank == 0 ? 1 : 0);
    return finding;
  }
}

StoreGroup::Finding StoreGroup::wait_for_notices() {
  std::this_thread::sleep_for(kTimeToNotice);
  Finding finding;
  std::vector<int64_t> quiet;
  for (int64_t other = 0; other < size(); ++other) {
    const bool noticed = rendezvous_->find(fmt::format("noticed/{}", other)).has_value();
    if (noticed && other < rank()) finding.speaks = false;
    if (noticed) continue;
    quiet.push_back(other);
    if (auto failure = rendezvous_->find(fmt::format("failure/{}", other))) {
      if (!finding.failure.empty()) continue;
      finding.missing = {other};
      finding.failure = *failure;
    }
  }
  if (!finding.failure.empty()) return finding;
  // A process that still computes has not noticed the failure but sends heartbeats.
  finding.missing = rendezvous_->silent(quiet, kTimeForHeartbeats);
  if (finding.missing.empty()) finding.missing = quiet;
  return finding;
}

}  // namespace attend::distributed
