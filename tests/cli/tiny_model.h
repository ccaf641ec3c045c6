#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace attend::cli::test {

/// Trains a very small word-level model for one update on a dozen invented pairs, in the folder
/// `name` of `dir`, with further `overrides` of its config. Returns the model folder. Throws
/// std::runtime_error with the program's error message.
[[nodiscard]] std::filesystem::path train_tiny_model(const attend::test::TempDir& dir,
                                                     const std::string& name,
                                                     const std::vector<std::string>& overrides);

/// Shares one such model between all tests of a suite: call make() in SetUpTestSuite, clear() in
/// TearDownTestSuite.
class SuiteModel {
 public:
  void make();
  void clear() { dir_.reset(); }
  [[nodiscard]] std::string path() const { return (*dir_ / "model").string(); }

 private:
  std::optional<attend::test::TempDir> dir_;
};

}  // namespace attend::cli::test
