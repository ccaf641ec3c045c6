#include "core/option_name.h"

namespace attend {
namespace {

std::string bare(std::string_view name) {
  return std::string(name);
}

// One of the few globals, like the logger: many layers build messages.
std::string (*spelling_in_use)(std::string_view) = &bare;

}  // namespace

std::string option_name(std::string_view name) {
  return spelling_in_use(name);
}

void spell_options(std::string (*spelling)(std::string_view name)) {
  spelling_in_use = spelling;
}

}  // namespace attend
