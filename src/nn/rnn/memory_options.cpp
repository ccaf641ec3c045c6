#include "nn/rnn/memory_options.h"

#include <fmt/format.h>

namespace attend::nn {
namespace {

constexpr int64_t kMostSlots = 4096;
constexpr int64_t kMostNumbers = int64_t{1} << 22;  // 16 MiB for each row of a batch

std::string too_large(const MemoryOptions& options) {
  if (options.slots * options.width <= kMostNumbers) return "";
  return fmt::format(
      "the memory has {} numbers per sentence, but may have at most {}; reduce slots or width",
      options.slots * options.width, kMostNumbers);
}

}  // namespace

void describe(config::Schema<MemoryOptions>& schema) {
  using Options = MemoryOptions;
  schema.integer("slots", &Options::slots, config::in_range<int64_t>(3, kMostSlots),
                 "Number of memory slots; dnc stores the order of writes in slots times slots "
                 "numbers.");
  schema.integer("width", &Options::width, config::in_range<int64_t>(1, 65536),
                 "Numbers per slot.");
  schema.integer("heads", &Options::heads, config::in_range<int64_t>(1, 64),
                 "Number of read heads; there is one write head.");
  schema.rule({"slots", "width"}, too_large);
  schema.choice("controller", &Options::controller,
                "The cell that reads the input and moves the heads.");
  schema.flag(
      "sharp_links", &Options::sharp_links,
      "dnc: let the controller sharpen the weights of heads that follow the order of writes, so "
      "that long orders do not blur (Csordas & Schmidhuber 2019).");
}

}  // namespace attend::nn
