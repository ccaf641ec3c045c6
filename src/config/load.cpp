#include "config/load.h"

#include "core/byte_source.h"
#include "core/error.h"

namespace attend::config {

namespace {

// Reads at most 1 MiB, because a device may never end, and the YAML parser can take 200 times the
// size of a file in memory.
std::string read_all(const std::filesystem::path& file) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  InputDescriptor input(file);
  std::string content;
  std::string chunk(kChunk, '\0');
  while (const std::size_t count = input.read(chunk)) {
    content.append(chunk, 0, count);
    if (content.size() > kMost)
      throw DataError(file, "is larger than 1 MiB, so it is not a config");
  }
  return content;
}

std::string read_config_file(const std::filesystem::path& file) {
  try {
    return read_all(file);
  } catch (const DataError& error) {
    throw ConfigError(error.what());
  }
}

}  // namespace

std::vector<Node> read_documents(const std::filesystem::path& file,
                                 std::span<const std::string> overrides, Reading& reading) {
  std::vector<Node> documents;
  if (!file.empty()) {
    documents.push_back(parse_file(file, read_config_file(file), reading.problems));
    reading.whole.source = documents.back().place.source;
  }
  for (const std::string& override : overrides) {
    documents.push_back(parse_override(override, reading.problems));
  }
  return documents;
}

std::vector<std::string> dotted_keys(const std::vector<KeyInfo>& keys, const std::string& section) {
  std::vector<std::string> found;
  for (const KeyInfo& info : keys) {
    const std::string key = dotted(section, info.name);
    if (info.kind != KeyInfo::Kind::kSection) found.push_back(key);
    for (const std::string& inner : dotted_keys(info.keys, key)) found.push_back(inner);
  }
  return found;
}

}  // namespace attend::config
