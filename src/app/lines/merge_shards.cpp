#include "app/lines/merge_shards.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "app/lines/line_shard.h"
#include "core/checksum.h"
#include "core/error.h"
#include "core/file.h"
#include "core/output_place.h"
#include "core/signal.h"

namespace attend::app {
namespace {

using nlohmann::json;
using std::filesystem::path;

/// The output of a shard, read from its beginning.
struct ShardFile {
  path file;
  json manifest;
  LineShard shard;
  std::ifstream stream = {};
  std::size_t next = 0;  // index of the next block
  int64_t bytes = 0;     // read so far
  uint64_t checksum = 0;

  [[nodiscard]] const json& blocks() const { return manifest.at("blocks"); }
};

ShardFile open_shard(const path& file) {
  path manifest = without_links(file);
  manifest += ".shard";
  if (!std::filesystem::exists(manifest))
    throw DataError(file, fmt::format("{} is missing beside it; copy it as well (attend translate "
                                      "--shard writes it when the shard is finished)",
                                      manifest.filename().string()));
  try {
    ShardFile shard{file, json::parse(read_file(manifest)), {}};
    const auto no_environment = [](const char*) -> const char* { return nullptr; };
    shard.shard = parse_shard(shard.manifest.at("shard").get<std::string>(), no_environment);
    shard.stream.open(file, std::ios::binary);
    if (!shard.stream) throw DataError(file, "cannot open the file");
    return shard;
  } catch (const json::exception&) {
    throw DataError(manifest, "is damaged; translate this shard again");
  } catch (const UsageError&) {
    throw DataError(manifest, "is damaged; translate this shard again");
  }
}

/// Throws DataError unless both shards belong to the same input and were translated with the same
/// models and options.
void check_same(const ShardFile& a, const ShardFile& b) {
  for (const char* name : {"input_lines", "input_checksum"}) {
    if (a.manifest.at(name) != b.manifest.at(name))
      throw DataError(fmt::format("{} and {} are shards of different inputs ({} {} and {})",
                                  a.file.string(), b.file.string(), name,
                                  a.manifest.at(name).dump(), b.manifest.at(name).dump()));
  }
  for (const auto& [name, value] : a.manifest.at("key").items()) {
    const json other = b.manifest.at("key").value(name, json());
    if (other != value)
      throw DataError(fmt::format("{} and {} were translated with different {} ({} and {})",
                                  a.file.string(), b.file.string(), name, value.dump(),
                                  other.dump()));
  }
}

/// The shards in their order.
std::vector<ShardFile> open_all(const std::vector<path>& files) {
  std::vector<ShardFile> given;
  for (const path& file : files) given.push_back(open_shard(file));
  const auto count = static_cast<std::size_t>(given.front().shard.count);
  if (given.size() < count)
    throw DataError(
        fmt::format("got {} of {} shards; give the outputs of all of them", given.size(), count));
  std::vector<ShardFile> ordered(count);
  for (ShardFile& shard : given) {
    check_same(given.front(), shard);
    if (static_cast<std::size_t>(shard.shard.count) != count)
      throw DataError(shard.file, fmt::format("is shard {}, but the first file is one of {} shards",
                                              shard.shard.name(), count));
  }
  for (ShardFile& shard : given) {
    ShardFile& place = ordered[static_cast<std::size_t>(shard.shard.index)];
    if (!place.file.empty())
      throw DataError(shard.file,
                      fmt::format("is shard {}, like {}", shard.shard.name(), place.file.string()));
    place = std::move(shard);
  }
  return ordered;  // complete: as many files as shards, none twice
}

[[noreturn]] void report_changed(const ShardFile& shard) {
  throw DataError(shard.file, "was changed after it was written; translate this shard again");
}

/// Writes the next block of the shard, which must be number `number`. Returns its number of lines.
int64_t copy_block(ShardFile& shard, int64_t number, OutputFile& output) {
  const json& block = shard.blocks().at(shard.next++);
  const auto end = block.at("bytes").get<int64_t>();
  if (end < shard.bytes || end > static_cast<int64_t>(file_size(shard.file))) report_changed(shard);
  const auto bytes = static_cast<std::size_t>(end - shard.bytes);
  std::string text(bytes, '\0');
  shard.stream.read(text.data(), static_cast<std::streamsize>(bytes));
  shard.checksum = add_to_checksum(shard.checksum, text.data(), bytes);
  shard.bytes += static_cast<int64_t>(bytes);
  const bool sound = shard.stream && block.at("block").get<int64_t>() == number &&
                     block.at("checksum").get<uint64_t>() == shard.checksum;
  if (!sound) report_changed(shard);
  output.write(text);
  return block.at("lines").get<int64_t>();
}

int64_t merge_all(const std::vector<path>& files, const path& output_path) {
  std::vector<ShardFile> shards = open_all(files);
  OutputFile output(output_path);
  int64_t lines = 0;
  for (int64_t block = 0;; ++block) {
    ShardFile& shard = shards[static_cast<std::size_t>(block) % shards.size()];
    if (shard.next == shard.blocks().size()) break;
    stop_if_requested("stopped by a signal; nothing was merged");
    lines += copy_block(shard, block, output);
  }
  for (ShardFile& shard : shards) {
    const bool at_end = shard.next == shard.blocks().size() &&
                        shard.stream.peek() == std::ifstream::traits_type::eof();
    if (!at_end) report_changed(shard);
  }
  const auto expected = shards.front().manifest.at("input_lines").get<int64_t>();
  if (lines != expected)
    throw DataError(
        fmt::format("the shards have {} lines in total, but their input had {}", lines, expected));
  output.commit();
  return lines;
}

}  // namespace

int64_t merge_shards(const std::vector<path>& files, const path& output) {
  try {
    return merge_all(files, output);
  } catch (const json::exception&) {
    throw DataError("a .shard file is damaged; translate its shard again");
  }
}

}  // namespace attend::app
