#include "distributed/agreement.h"

#include <fmt/format.h>

#include <exception>
#include <map>
#include <string_view>

#include "core/error.h"

namespace attend::distributed {
namespace {

constexpr char kEnd = '\x1f';  // ends a field of a note

/// An exit code (0 on success) and a message.
struct Outcome {
  int code = 0;
  std::string message;
};

std::string written(const Outcome& outcome) {
  return fmt::format("{}{}{}", outcome.code, kEnd, outcome.message);
}

Outcome read_outcome(const std::string& text) {
  const std::size_t end = text.find(kEnd);
  return {std::stoi(text.substr(0, end)), text.substr(end + 1)};
}

[[noreturn]] void rethrow(const Outcome& outcome, const std::string& who) {
  const std::string message = fmt::format("{}: {}", who, outcome.message);
  const int signal = outcome.code - static_cast<int>(ExitCode::kSignalBase);
  if (signal > 0) throw Stopped(signal, outcome.message);
  const auto code = static_cast<ExitCode>(outcome.code);
  if (code == ExitCode::kNumeric) throw NumericError(message);  // the trainer saves before it ends
  throw UserError(code, message);
}

void check_outcomes(const Communicator& peers, const std::vector<std::string>& notes) {
  for (std::size_t rank = 0; rank < notes.size(); ++rank) {
    const Outcome outcome = read_outcome(notes[rank]);
    if (outcome.code != 0) rethrow(outcome, peers.name_of(static_cast<int64_t>(rank)));
  }
}

std::string written(const Properties& properties) {
  std::string text;
  for (const auto& [name, value] : properties) (text += value) += kEnd;
  return text;
}

std::vector<std::string> read_values(std::string_view text) {
  std::vector<std::string> values;
  while (!text.empty()) {
    const std::size_t end = text.find(kEnd);
    values.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return values;
}

}  // namespace

void agree(Communicator* peers, const std::string& topic, const std::function<void()>& task) {
  if (peers == nullptr) return task();
  std::exception_ptr own;
  Outcome outcome;
  try {
    task();
  } catch (const UserError& error) {
    own = std::current_exception();
    outcome = {static_cast<int>(error.exit_code()), error.what()};
  }
  const std::vector<std::string> notes = peers->exchange(topic, written(outcome));
  if (own) std::rethrow_exception(own);
  check_outcomes(*peers, notes);
}

std::vector<std::string> gather(Communicator& peers, const std::function<std::string()>& task) {
  std::exception_ptr own;
  Outcome outcome;
  try {
    outcome.message = task();
  } catch (const UserError& error) {
    own = std::current_exception();
    outcome = {static_cast<int>(error.exit_code()), error.what()};
  }
  // Collects even if the task failed here: other processes may still compute and then report to
  // this one.
  std::vector<std::string> notes = peers.collect(written(outcome));
  if (own && peers.leads()) std::rethrow_exception(own);
  check_outcomes(peers, notes);
  for (std::string& note : notes) note = read_outcome(note).message;
  return notes;
}

void check_alike(Communicator* peers, const std::string& topic, const Properties& properties) {
  if (peers == nullptr) return;
  const std::vector<std::string> notes = peers->exchange(topic, written(properties));
  const std::vector<std::string> first = read_values(notes.front());
  for (std::size_t rank = 1; rank < notes.size(); ++rank) {
    const std::vector<std::string> other = read_values(notes[rank]);
    for (std::size_t i = 0; i < properties.size(); ++i) {
      if (other.at(i) == first.at(i)) continue;
      throw UsageError(fmt::format(
          "{} is not the same in all processes: {} has {}, {} has {}; all processes of a run need "
          "the same program, config, text, device and number of threads",
          properties[i].first, peers->name_of(0), first[i],
          peers->name_of(static_cast<int64_t>(rank)), other[i]));
    }
  }
}

void check_distinct(Communicator* peers, const std::string& topic, const std::string& value,
                    const std::string& what) {
  if (peers == nullptr) return;
  std::map<std::string, std::size_t> ranks;
  const std::vector<std::string> values = peers->exchange(topic, value);
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    const auto [first, is_new] = ranks.emplace(values[rank], rank);
    if (is_new || values[rank].empty()) continue;
    throw UsageError(fmt::format("{} and {} {}",
                                 peers->name_of(static_cast<int64_t>(first->second)),
                                 peers->name_of(static_cast<int64_t>(rank)), what));
  }
}

}  // namespace attend::distributed
