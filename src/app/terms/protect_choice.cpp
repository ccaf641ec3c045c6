#include "app/terms/protect_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/closest_name.h"
#include "core/error.h"
#include "core/excerpt.h"
#include "core/option_name.h"

namespace attend::app {
namespace {

constexpr const char* kNone = "none";

/// The kind of one name among others, or of the only one.
text::ProtectedKind kind_named(const std::string& name, bool alone) {
  const std::string option = option_name("protect");
  if (const auto kind = enum_value<text::ProtectedKind>(name)) return *kind;
  if (name == kNone) {
    throw UsageError(
        fmt::format("{}: \"none\" stands alone; leave it out, or leave out the kinds", option));
  }
  std::vector<std::string> names = enum_names<text::ProtectedKind>();
  if (alone) names.emplace_back(kNone);
  throw UsageError(fmt::format("{}: unknown kind \"{}\"{}; choices: {}", option, excerpt(name),
                               did_you_mean(name, names), join(names)));
}

}  // namespace

std::optional<text::ProtectOptions> protect_choice(const std::string& given,
                                                   const text::ProtectOptions& trained) {
  if (given.empty()) return std::nullopt;
  if (given == kNone) return text::ProtectOptions{};
  text::ProtectOptions options = trained;
  options.kinds.clear();
  const bool alone = given.find(',') == std::string::npos;
  for (std::size_t begin = 0; begin <= given.size();) {
    const std::size_t end = std::min(given.find(',', begin), given.size());
    options.kinds.push_back(kind_named(given.substr(begin, end - begin), alone));
    begin = end + 1;
  }
  return options;
}

}  // namespace attend::app
