#include "data/reading.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

namespace attend::data {
namespace {

double seconds_by_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The size of `file`; 0 if it is unknown.
int64_t bytes_of(const std::filesystem::path& file) {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(file, unknown);
  return unknown ? 0 : static_cast<int64_t>(size);
}

int64_t bytes_of(const ExampleFiles& files) {
  int64_t bytes = bytes_of(files.target);
  for (const config::NamedPath& source : files.sources) bytes += bytes_of(source.path);
  return bytes;
}

}  // namespace

ReadingMeter::ReadingMeter(const Reading& reading, const char* what,
                           const std::vector<CorpusFiles>& texts)
    : reading_(reading), what_(what), before_(1, 0), start_(seconds_by_clock()) {
  for (const CorpusFiles& files : texts) before_.push_back(before_.back() + bytes_of(files));
}

void ReadingMeter::report(int64_t lines, int64_t bytes) const {
  if (!reading_.report) return;
  const auto all = static_cast<double>(std::max<int64_t>(1, before_.back()));
  const double share = std::min(1.0, static_cast<double>(bytes) / all);
  reading_.report({what_, lines, share, seconds_by_clock() - start_});
}

}  // namespace attend::data
