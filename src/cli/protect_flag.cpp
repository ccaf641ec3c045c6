#include "cli/protect_flag.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/closest_name.h"
#include "core/error.h"
#include "core/excerpt.h"

namespace attend::cli {
namespace {

constexpr const char* kNone = "none";

text::ProtectedKind kind_named(const std::string& name) {
  if (const auto kind = enum_value<text::ProtectedKind>(name)) return *kind;
  std::vector<std::string> names = enum_names<text::ProtectedKind>();
  names.emplace_back(kNone);
  throw UsageError(fmt::format("--protect: unknown kind \"{}\"{}; choices: {}", excerpt(name),
                               did_you_mean(name, names), join(names)));
}

}  // namespace

std::optional<text::ProtectOptions> protect_flag(const std::string& given,
                                                 const text::ProtectOptions& trained) {
  if (given.empty()) return std::nullopt;
  if (given == kNone) return text::ProtectOptions{};
  text::ProtectOptions options = trained;
  options.kinds.clear();
  for (std::size_t begin = 0; begin <= given.size();) {
    const std::size_t end = std::min(given.find(',', begin), given.size());
    options.kinds.push_back(kind_named(given.substr(begin, end - begin)));
    begin = end + 1;
  }
  return options;
}

}  // namespace attend::cli
