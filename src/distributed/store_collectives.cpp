#include "distributed/store_collectives.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace attend::distributed {
namespace {

constexpr std::size_t kNoteBytes = std::size_t{4} << 20;  // c10d's stores refuse 8 MiB and more
constexpr int64_t kToAll = -1;

std::string key_of_values(int64_t operation, int64_t from, int64_t to, std::size_t begin) {
  return fmt::format("values/{}/{}/{}/{}", operation, from, to, begin);
}

/// Runs `task` on the rendezvous.
template <class Task>
auto through_store(const Task& task) {
  try {
    return task();
  } catch (const PeerLost& lost) {
    throw LostContact(lost.why);
  }
}

}  // namespace

void StoreCollectives::post(int64_t to, const torch::Tensor& values) {
  const auto* const bytes = static_cast<const char*>(values.data_ptr());
  for (std::size_t begin = 0; begin < values.nbytes(); begin += kNoteBytes) {
    notes_.push_back({operations_, key_of_values(operations_, rank(), to, begin)});
    const std::string text(bytes + begin, std::min(kNoteBytes, values.nbytes() - begin));
    through_store([&] { links_.rendezvous.post(notes_.back().key, text); });
  }
}

void StoreCollectives::fetch(int64_t from, int64_t to, const torch::Tensor& values) {
  auto* const bytes = static_cast<char*>(values.data_ptr());
  for (std::size_t begin = 0; begin < values.nbytes(); begin += kNoteBytes) {
    WaitLimit limit(links_);
    const std::string key = key_of_values(operations_, from, to, begin);
    const std::string text =
        through_store([&] { return links_.rendezvous.await(key, from, [&] { limit.check(); }); });
    std::memcpy(bytes + begin, text.data(), std::min(text.size(), values.nbytes() - begin));
  }
}

void StoreCollectives::remove_read_notes() {
  const auto read = std::partition(notes_.begin(), notes_.end(), [this](const Note& note) {
    return note.operation == operations_;
  });
  std::for_each(read, notes_.end(), [this](const Note& note) {
    through_store([&] { links_.rendezvous.remove(note.key); });
  });
  notes_.erase(read, notes_.end());
}

void StoreCollectives::all_reduce(const torch::Tensor& values) {
  const torch::Tensor addends = at::empty({size(), values.numel()}, values.options());
  all_gather(addends, values);
  values.zero_();
  for (int64_t other = 0; other < size(); ++other) values.add_(addends[other]);
}

void StoreCollectives::all_to_all(const torch::Tensor& received, const torch::Tensor& sent) {
  ++operations_;
  received[rank()].copy_(sent[rank()]);
  for (int64_t other = 0; other < size(); ++other)
    if (other != rank()) post(other, sent[other]);
  for (int64_t other = 0; other < size(); ++other)
    if (other != rank()) fetch(other, rank(), received[other]);
  remove_read_notes();
}

void StoreCollectives::all_gather(const torch::Tensor& received, const torch::Tensor& sent) {
  ++operations_;
  received[rank()].copy_(sent);
  post(kToAll, sent);
  for (int64_t other = 0; other < size(); ++other)
    if (other != rank()) fetch(other, kToAll, received[other]);
  remove_read_notes();
}

void StoreCollectives::broadcast(const torch::Tensor& values) {
  ++operations_;
  if (rank() == 0) {
    post(kToAll, values);
  } else {
    fetch(0, kToAll, values);
  }
}

}  // namespace attend::distributed
