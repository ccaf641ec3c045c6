#include "app/export/obstacle.h"

#include "core/error.h"
#include "core/option_name.h"

namespace attend::app {

void need_one_source(std::vector<Obstacle>& obstacles, const data::DataOptions& data) {
  const std::size_t sources = data::count_sources(data);
  if (sources > 1) obstacles.push_back({"data.train.source", fmt::format("{}", sources), "1 file"});
}

void refuse(const std::vector<Obstacle>& obstacles, const std::string& format,
            const std::filesystem::path& directory) {
  if (obstacles.empty()) return;
  std::string lines;
  for (const Obstacle& obstacle : obstacles) {
    lines +=
        fmt::format("\n  {}: {} (the model has {})", obstacle.key, obstacle.needed, obstacle.value);
  }
  throw UsageError(fmt::format("{} {} cannot express the model in {}; train one with{}",
                               option_name("format"), format, directory.string(), lines));
}

}  // namespace attend::app
