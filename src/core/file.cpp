#include "core/file.h"

#include <ostream>

#include "core/byte_source.h"
#include "core/replacement_file.h"

namespace attend {

std::string read_file(const std::filesystem::path& path) {
  constexpr std::size_t kPortion = std::size_t{1} << 20;
  InputDescriptor input(path);
  std::error_code unknown_size;
  const auto expected = std::filesystem::file_size(path, unknown_size);
  std::string content;
  std::size_t used = 0;
  if (!unknown_size) content.resize(expected);
  while (true) {
    if (used == content.size()) content.resize(used + kPortion);
    const std::size_t count = input.read(std::span(content).subspan(used));
    if (count == 0) break;
    used += count;
  }
  content.resize(used);
  return content;
}

void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream&)>& write) {
  ReplacementFile file(path);
  write(file.stream());
  file.commit();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  write_file_atomically(path, [content](std::ostream& stream) { stream << content; });
}

}  // namespace attend
