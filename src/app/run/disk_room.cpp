#include "app/run/disk_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>

#include "core/byte_count.h"
#include "core/error.h"
#include "core/option_name.h"

namespace attend::app {
namespace {

double text_bytes(const std::filesystem::path& file) {
  constexpr double kCompression = 3.0;  // gzip, of natural text
  std::error_code unknown;
  const auto size = std::filesystem::file_size(file, unknown);
  if (unknown) return 0.0;
  return static_cast<double>(size) * (file.extension() == ".gz" ? kCompression : 1.0);
}

}  // namespace

double expected_token_bytes(const data::DataOptions& options) {
  constexpr double kTokenBytes = 0.65;
  double bytes = 0.0;
  for (const data::CorpusFiles& files : data::texts_of(options)) {
    for (const config::NamedPath& source : files.sources) bytes += text_bytes(source.path);
    bytes += text_bytes(files.target);
  }
  return kTokenBytes * bytes;
}

double expected_run_bytes(const train::TrainingOptions& options, double weights) {
  const bool is_sgd = options.optimizer == train::OptimizerKind::sgd;
  const double statistics = is_sgd ? (options.momentum > 0.0 ? 1.0 : 0.0) : 2.0;
  const double state = weights * (1.0 + statistics + (options.ema > 0.0 ? 1.0 : 0.0));
  const auto snapshots = static_cast<double>(std::max(options.keep.last, options.average.last) +
                                             std::max(options.keep.best, options.average.best));
  return 3.0 * state + weights * (2.0 + snapshots);
}

std::filesystem::path nearest_folder(std::filesystem::path directory) {
  std::error_code unknown;
  directory = std::filesystem::absolute(directory);
  while (!std::filesystem::is_directory(directory, unknown) && directory.has_relative_path())
    directory = directory.parent_path();
  return directory;
}

double free_bytes(const std::filesystem::path& file) {
  std::error_code unknown;
  const auto folder = nearest_folder(std::filesystem::absolute(file).parent_path());
  const auto space = std::filesystem::space(folder, unknown);
  return unknown ? std::numeric_limits<double>::infinity() : static_cast<double>(space.available);
}

void check_room(const std::filesystem::path& file, double expected, double free,
                const std::string& why) {
  if (free >= 0.5 * expected) return;
  throw DataError(file, fmt::format("the token ids of the training text need about {} here ({}), "
                                    "but only {} are free; free some space or change {}",
                                    byte_count(expected), why, byte_count(free), why));
}

void check_room_for_run(const std::filesystem::path& directory, double expected, double free) {
  if (free >= expected) return;
  throw DataError(directory,
                  fmt::format("the files of the run need about {} here, but only {} are free; free "
                              "some space or give another folder with {}",
                              byte_count(expected), byte_count(free), option_name("output")));
}

}  // namespace attend::app
