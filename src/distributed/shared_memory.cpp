#include "distributed/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <random>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "distributed/descriptor.h"
#include "distributed/process_watch.h"

namespace attend::distributed {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kWaitPoll(100);
constexpr std::size_t kNoteSize = 16;

/// A memory mapping shared with other processes.
class Mapping {
 public:
  /// Returns null on failure.
  static std::shared_ptr<Mapping> of_file(int file, std::size_t size) {
    void* const begin = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return begin == MAP_FAILED ? nullptr : std::make_shared<Mapping>(begin, size);
  }
  Mapping(void* begin, std::size_t size) : begin_(begin), size_(size) {}
  ~Mapping() { ::munmap(begin_, size_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] std::byte* begin() const { return static_cast<std::byte*>(begin_); }

 private:
  void* begin_;
  std::size_t size_;
};

using Mappings = std::vector<std::shared_ptr<Mapping>>;  // by rank

std::string nonce() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

/// A memory file (memfd) of this process. A random mark in its last bytes identifies it to others.
class SharedFile {
 public:
  explicit SharedFile(std::size_t size) : file_(::memfd_create("attend", MFD_CLOEXEC)) {
    const bool there = file_.get() >= 0 && ::ftruncate(file_.get(), static_cast<off_t>(size)) == 0;
    mark_ = nonce();
    const auto end = static_cast<off_t>(size - kNoteSize);
    if (there && ::pwrite(file_.get(), mark_.data(), kNoteSize, end) == kNoteSize)
      note_ = fmt::format("{} {} {}", ::getpid(), file_.get(), mark_);
  }

  /// A note that tells other processes how to open the file; empty if it could not be created.
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  Descriptor file_;
  std::string mark_;
  std::string note_;
};

struct Found {
  int process = 0;
  int file = -1;
  std::string mark;
};

Found parse(const std::string& note) {
  Found found;
  std::array<char, kNoteSize + 1> mark{};
  if (std::sscanf(note.c_str(), "%d %d %16s", &found.process, &found.file, mark.data()) != 3)
    return {};
  found.mark = mark.data();
  return found;
}

/// Maps the file of another process; null if it cannot be opened.
std::shared_ptr<Mapping> reach(const std::string& note, std::size_t size) {
  const Found found = parse(note);
  const std::string path = fmt::format("/proc/{}/fd/{}", found.process, found.file);
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file.get() < 0) return nullptr;
  std::string mark(kNoteSize, ' ');
  const auto end = static_cast<off_t>(size - kNoteSize);
  if (::pread(file.get(), mark.data(), kNoteSize, end) != kNoteSize || mark != found.mark)
    return nullptr;  // here the number belongs to an unrelated process
  return Mapping::of_file(file.get(), size);
}

/// Maps `size` bytes of every process. Returns an empty list if any process cannot map another's.
Mappings share(const SharedMemory::Peers& peers, std::size_t size) {
  const SharedFile own(size + kNoteSize);
  Mappings mappings;
  bool all = true;
  for (const std::string& note : peers.exchange(own.note())) {
    mappings.push_back(reach(note, size + kNoteSize));
    all = all && mappings.back();
  }
  // The file must stay open until all have mapped it.
  for (const std::string& there : peers.exchange(all ? "all" : "")) all = all && !there.empty();
  return all ? mappings : Mappings{};
}

using Word = std::atomic<uint32_t>;
static_assert(sizeof(Word) == sizeof(uint32_t) && Word::is_always_lock_free);

void wake(Word& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

/// Returns when the word differs from `seen`, after `longest`, or spuriously.
void sleep_on(Word& word, uint32_t seen, milliseconds longest) {
  const timespec time = {longest.count() / 1000, longest.count() % 1000 * 1'000'000};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &time, nullptr, 0);
}

/// The state that each process shares for barriers and sums.
struct Seat {
  int32_t process = 0;
  Word round{0};  // number of barriers that the process has entered
  // Values of the last two rounds: a process one round behind still reads the older ones.
  std::array<std::array<double, SharedMemory::kMostValues>, 2> values{};
};

class MappedMemory final : public SharedMemory {
 public:
  MappedMemory(Peers peers, Mappings seats);

  [[nodiscard]] torch::Tensor zeros(int64_t size, torch::ScalarType type) override;
  [[nodiscard]] torch::Tensor of(int64_t rank, const torch::Tensor& own) const override;
  void wait() override { static_cast<void>(sum({})); }
  [[nodiscard]] std::vector<double> sum(const std::vector<double>& values) override;

 private:
  /// True if the process that owns `word` has entered the current round or a later one.
  [[nodiscard]] bool has_come(const Word& word) const {
    return static_cast<int32_t>(word.load(std::memory_order_acquire) - round_) >= 0;
  }
  void wait_for(std::size_t rank, Clock::duration& waited) const;

  Peers peers_;
  std::size_t rank_;
  Mappings mapped_seats_;
  std::vector<Seat*> seats_;           // by rank
  std::vector<ProcessWatch> watches_;  // by rank
  std::vector<Mappings> blocks_;
  uint32_t round_ = 0;
};

MappedMemory::MappedMemory(Peers peers, Mappings seats)
    : peers_(std::move(peers)),
      rank_(static_cast<std::size_t>(peers_.rank)),
      mapped_seats_(std::move(seats)) {
  for (const auto& seat : mapped_seats_) seats_.push_back(reinterpret_cast<Seat*>(seat->begin()));
  seats_[rank_]->process = ::getpid();
  static_cast<void>(peers_.exchange(""));
  for (const Seat* const seat : seats_) watches_.emplace_back(seat->process);
}

torch::Tensor MappedMemory::zeros(int64_t size, torch::ScalarType type) {
  const auto bytes = static_cast<std::size_t>(size) * c10::elementSize(type);
  Mappings block = share(peers_, bytes);
  if (block.empty())
    throw DataError(
        fmt::format("the processes cannot share {} more bytes of memory each (check ulimit); set "
                    "GLOO_SOCKET_IFNAME=lo in the environment to use messages instead",
                    bytes));
  const auto own = block[rank_];
  blocks_.push_back(std::move(block));
  return torch::from_blob(
      own->begin(), {size}, [own](void*) {}, type);
}

torch::Tensor MappedMemory::of(int64_t rank, const torch::Tensor& own) const {
  for (const Mappings& block : blocks_) {
    if (block[rank_]->begin() != own.data_ptr()) continue;
    const auto& mapping = block[static_cast<std::size_t>(rank)];
    return torch::from_blob(
        mapping->begin(), own.sizes(), [mapping](void*) {}, own.scalar_type());
  }
  throw std::logic_error("SharedMemory::of: the tensor is not shared");
}

std::vector<double> MappedMemory::sum(const std::vector<double>& values) {
  if (values.size() > kMostValues) throw std::logic_error("SharedMemory::sum: too many values");
  ++round_;
  Seat& own = *seats_[rank_];
  std::copy(values.begin(), values.end(), own.values[round_ % 2].begin());
  own.round.store(round_, std::memory_order_release);
  wake(own.round);
  std::vector<double> sums(values.size());
  Clock::duration waited{0};  // in total
  for (std::size_t rank = 0; rank < seats_.size(); ++rank) {
    wait_for(rank, waited);
    const auto& addends = seats_[rank]->values[round_ % 2];
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += addends[i];
  }
  return sums;
}

void MappedMemory::wait_for(std::size_t rank, Clock::duration& waited) const {
  Word& word = seats_[rank]->round;
  auto polled = Clock::now();
  while (!has_come(word)) {
    const uint32_t seen = word.load();
    if (watches_[rank].has_ended() && !has_come(word)) peers_.fail("its process has ended");
    // Time during which all processes were suspended does not count.
    const auto now = Clock::now();
    waited += std::min<Clock::duration>(now - std::exchange(polled, now), 10 * kWaitPoll);
    if (waited > peers_.timeout) peers_.fail("it did not respond in time");
    if (!has_come(word)) sleep_on(word, seen, kWaitPoll);
  }
}

}  // namespace

std::unique_ptr<SharedMemory> SharedMemory::open(Peers peers) {
  Mappings seats = share(peers, sizeof(Seat));
  if (seats.empty()) return nullptr;
  return std::make_unique<MappedMemory>(std::move(peers), std::move(seats));
}

}  // namespace attend::distributed
