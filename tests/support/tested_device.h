#pragma once
#include <torch/types.h>

#include <cstdlib>
#include <optional>

namespace attend::test {

/// The device that the environment variable ATTEND_TEST_DEVICE names, if it is set.
inline std::optional<torch::Device> named_device() {
  const char* const name = std::getenv("ATTEND_TEST_DEVICE");
  return name == nullptr ? std::nullopt : std::make_optional<torch::Device>(name);
}

/// The device of tests that run on any: named_device(), or the CPU.
inline torch::Device tested_device() {
  return named_device().value_or(torch::kCPU);
}

/// A precision below f32 that this device has.
inline const char* low_precision() {
  return tested_device().is_cpu() ? "int8" : "bf16";
}

}  // namespace attend::test
