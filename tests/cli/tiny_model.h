#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace attend::cli::test {

/// Trains a very small word-level model for one update on a dozen made-up pairs, in the folder
/// `name` of `dir`, with further `overrides` of its config, and returns the model directory. Throws
/// std::runtime_error with what the program said if that fails.
[[nodiscard]] std::filesystem::path train_tiny_model(const attend::test::TempDir& dir,
                                                     const std::string& name,
                                                     const std::vector<std::string>& overrides);

/// One such model for all tests of a suite: call make() in SetUpTestSuite, clear() in
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
