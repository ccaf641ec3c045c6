#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "config/schema.h"

namespace attend::data {

/// Two files of equal line count, plain or gzip; line i of one is the translation of line i of the
/// other.
struct PairFiles {
  std::string source;
  std::string target;

  [[nodiscard]] bool empty() const { return source.empty() && target.empty(); }
};

/// The config section `data`.
struct DataOptions {
  std::vector<PairFiles> train;    ///< read one after the other
  PairFiles dev;                   ///< empty: no validation
  int64_t max_length = 100;        ///< pieces per side, the end symbol not counted
  double max_ratio = 0.0;          ///< longer side over shorter side, in pieces; 0: no limit
  bool lowercase = false;          ///< lower-case all text in front of the tokenizer
  std::string storage = "memory";  ///< memory | mmap: where the token ids are kept
};

void describe(config::Schema<PairFiles>& schema);
void describe(config::Schema<DataOptions>& schema);

}  // namespace attend::data
