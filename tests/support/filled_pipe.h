#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace attend::test {

/// A pipe that holds a short text, which can be read once, like the shell's <(command).
class FilledPipe {
 public:
  explicit FilledPipe(std::string_view text) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    descriptor_ = ends[0];
  }
  ~FilledPipe() { ::close(descriptor_); }
  FilledPipe(const FilledPipe&) = delete;
  FilledPipe& operator=(const FilledPipe&) = delete;

  [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_ = -1;
};

}  // namespace attend::test
