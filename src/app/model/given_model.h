#pragma once
#include <string>
#include <vector>

namespace attend::app {

/// A model as the command line names it.
struct GivenModel {
  std::string directory;
  double weight = 1.0;  ///< in an ensemble, relative to the other members
};

/// Parses DIR and DIR:WEIGHT. A folder whose name ends like a weight is taken as a folder. Throws
/// UsageError for a weight that is not positive, for weights of some models only, and for the
/// weight of a single model.
[[nodiscard]] std::vector<GivenModel> parse_models(const std::vector<std::string>& given);

}  // namespace attend::app
