#include "core/fault_point.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/number.h"

namespace attend {

namespace {

constexpr const char* kVariable = "ATTEND_FAULTS";

struct Plan {
  int64_t kill_at = 0;
  int64_t fail_from = 0;
  int64_t fail_to = 0;
  std::string only;
  std::string after;
  int trace = -1;  // descriptor
  int64_t count = 0;
};

[[noreturn]] void refuse(std::string_view setting) {
  throw UsageError(
      fmt::format("{}: unknown setting \"{}\"; expected kill=N, fail=N, fail=N-M, only=TEXT, "
                  "after=TEXT or trace=FILE. The variable is for tests only; unset it",
                  kVariable, setting));
}

int64_t parse_number(std::string_view text, std::string_view setting) {
  const auto number = number_in<int64_t>(text);
  if (!number || *number < 1) refuse(setting);
  return *number;
}

int open_trace(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) throw DataError(file, "cannot write the fault trace");
  return descriptor;
}

void add_setting(Plan& plan, std::string_view setting) {
  const std::size_t equals = std::min(setting.find('='), setting.size());
  const std::string_view name = setting.substr(0, equals);
  const std::string_view value = setting.substr(std::min(equals + 1, setting.size()));
  if (value.empty()) refuse(setting);
  if (name == "kill") {
    plan.kill_at = parse_number(value, setting);
  } else if (name == "fail") {
    const std::size_t dash = value.find('-');
    plan.fail_from = parse_number(value.substr(0, dash), setting);
    plan.fail_to = dash == std::string_view::npos ? std::numeric_limits<int64_t>::max()
                                                  : parse_number(value.substr(dash + 1), setting);
  } else if (name == "only") {
    plan.only = value;
  } else if (name == "after") {
    plan.after = value;
  } else if (name == "trace") {
    plan.trace = open_trace(std::string(value));
  } else {
    refuse(setting);
  }
}

std::optional<Plan> parse_plan(std::string_view text) {
  if (text.empty()) return std::nullopt;
  Plan plan;
  while (true) {
    const std::size_t comma = text.find(',');
    add_setting(plan, text.substr(0, comma));
    if (comma == std::string_view::npos) return plan;
    text.remove_prefix(comma + 1);
  }
}

// One of the few globals: a test must reach code that has no parameter for faults.
std::optional<Plan>& current_plan() {
  static std::optional<Plan> plan =
      parse_plan(std::getenv(kVariable) == nullptr ? "" : std::getenv(kVariable));
  return plan;
}

void write_trace(int descriptor, const std::string& name) {
  const std::string line = name + "\n";
  [[maybe_unused]] const ssize_t ignored = ::write(descriptor, line.data(), line.size());
}

// Counted only if the plan names it: it fails otherwise than a file.
constexpr std::string_view kMemory = "memory";

bool counts_point(Plan& plan, const std::string& name) {
  if (name.starts_with(kMemory) && plan.only.empty()) return false;
  if (!plan.after.empty()) {
    if (name.find(plan.after) != std::string::npos) plan.after.clear();
    return false;
  }
  return name.find(plan.only) != std::string::npos;
}

int reach(Plan& plan, const std::string& name) {
  if (plan.trace >= 0) write_trace(plan.trace, name);
  if (!counts_point(plan, name)) return 0;
  ++plan.count;
  if (plan.count == plan.kill_at) ::kill(::getpid(), SIGKILL);
  const bool fails =
      plan.fail_from > 0 && plan.count >= plan.fail_from && plan.count <= plan.fail_to;
  return fails ? ENOSPC : 0;
}

}  // namespace

int fault_point(std::string_view what, const std::filesystem::path& file) {
  std::optional<Plan>& plan = current_plan();
  if (!plan) return 0;
  const std::string name = file.filename().string();
  return reach(*plan, fmt::format("{}{}{}", what, name.empty() ? "" : " ", name));
}

void mark_point(std::string_view what) {
  static_cast<void>(fault_point(what));
}

void plan_faults(std::string_view plan) {
  std::optional<Plan>& current = current_plan();
  if (current && current->trace >= 0) ::close(current->trace);
  current = parse_plan(plan);
}

}  // namespace attend
