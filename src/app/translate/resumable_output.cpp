#include "app/translate/resumable_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "app/translate/translation_output.h"
#include "app/translate/unfinished_files.h"
#include "core/checksum.h"
#include "core/error.h"
#include "core/fault_point.h"
#include "core/file.h"
#include "core/log.h"
#include "core/option_name.h"
#include "core/output_place.h"

namespace attend::app {
namespace {

using nlohmann::json;
using std::filesystem::path;

void check_is_file(const path& output) {
  std::error_code ignored;
  const auto type = std::filesystem::status(output, ignored).type();
  const bool is_file =
      type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::regular;
  if (output != "-" && !output.empty() && !own_descriptor(output) && is_file) return;
  throw UsageError(fmt::format("{} and {} need a regular file as output; give it with {}",
                               option_name("shard"), option_name("resume"), option_name("output")));
}

/// Resolves symlinks in the output path, so that the final rename keeps a link.
ResumableChoices at_its_place(ResumableChoices choices) {
  check_is_file(choices.output);
  choices.output = without_links(choices.output);
  const path folder = choices.output.parent_path();
  if (std::error_code ignored; folder.empty() || std::filesystem::is_directory(folder, ignored))
    return choices;
  throw DataError(choices.output, fmt::format("cannot write the file: the folder {} does not exist",
                                              folder.string()));
}

[[noreturn]] void fail_to_write(const path& file, int error) {
  throw DataError(file, fmt::format("cannot write: {}", std::strerror(error)));
}

int open_to_append(const path& file) {
  const int descriptor =
      ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND | O_NOFOLLOW, 0666);
  if (descriptor < 0) fail_to_write(file, errno);
  return descriptor;
}

void cut_off(int descriptor, const path& file, int64_t bytes) {
  if (::ftruncate(descriptor, bytes) != 0) fail_to_write(file, errno);
}

/// Appends and flushes to the disk.
void append(int descriptor, const path& file, std::string_view bytes) {
  if (const int error = fault_point("append", file); error != 0) fail_to_write(file, error);
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_write(file, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fdatasync(descriptor) != 0 && errno != EINVAL) fail_to_write(file, errno);
}

json to_json_line(const DoneBlock& block) {
  return {{"block", block.input.number},
          {"lines", block.input.lines},
          {"input_lines", block.input.end_line},
          {"input_checksum", block.input.checksum},
          {"bytes", block.bytes},
          {"checksum", block.checksum}};
}

/// Throws json::exception.
DoneBlock block_of(const json& line) {
  return {{line.at("block").get<int64_t>(), line.at("lines").get<int64_t>(),
           line.at("input_lines").get<int64_t>(), line.at("input_checksum").get<uint64_t>()},
          line.at("bytes").get<int64_t>(),
          line.at("checksum").get<uint64_t>()};
}

/// The beginning of the journal or record of a shard with this content.
std::string start_of(const json& content) {
  return fmt::format("{{\"{}\":", content.begin().key());
}

bool same_input(const InputBlock& a, const InputBlock& b) {
  return a.number == b.number && a.lines == b.lines && a.end_line == b.end_line &&
         a.checksum == b.checksum;
}

}  // namespace

ResumableOutput::ResumableOutput(ResumableChoices choices)
    : choices_(at_its_place(std::move(choices))), lock_(beside(".lock")) {
  if (!lock_.take())
    throw DataError(choices_.output, "another process is translating to this file");
  check_unfinished_files(choices_.output, start_of(choices_.key),
                         choices_.to_merge ? start_of(manifest({})) : "");
  part_ = open_to_append(beside(".part"));
  journal_ = open_to_append(beside(".journal"));
  choices_.resume ? load_journal() : refuse_to_lose_blocks();
  if (done_.empty()) start_journal();
}

ResumableOutput::~ResumableOutput() {
  if (part_ >= 0) ::close(part_);
  if (journal_ >= 0) ::close(journal_);
  if (committed_ || choices_.resume || part_ < 0) return;
  std::error_code ignored;
  std::filesystem::remove(beside(".part"), ignored);
  std::filesystem::remove(beside(".journal"), ignored);
}

path ResumableOutput::beside(const char* ending) const {
  path file = choices_.output;
  return file += ending;
}

void ResumableOutput::start_journal() {
  cut_off(part_, beside(".part"), 0);
  cut_off(journal_, beside(".journal"), 0);
  append(journal_, beside(".journal"), json(choices_.key).dump() + "\n");
}

void ResumableOutput::load_journal() {
  const std::string text = read_file(beside(".journal"));
  const std::size_t head = text.find('\n');
  if (head == std::string::npos) return;  // killed before the first block
  check_key(json::parse(text.substr(0, head), nullptr, /*allow_exceptions=*/false));
  std::size_t end = head + 1;
  done_ = sound_blocks(text, end);
  if (done_.empty()) return;
  cut_off(journal_, beside(".journal"), static_cast<int64_t>(end));
  cut_off(part_, beside(".part"), done_.back().bytes);
  log::info("resuming after input line {}", done_.back().input.end_line);
}

/// A forgotten --resume must not delete hours of work.
void ResumableOutput::refuse_to_lose_blocks() const {
  const std::string journal = read_file(beside(".journal"));
  if (std::ranges::count(journal, '\n') < 2) return;  // only the first line, without blocks
  throw UsageError(fmt::format(
      "{} is the journal of an interrupted translation to {}; resume it with {}, or remove the "
      "journal to start over",
      beside(".journal").string(), choices_.output.string(), option_name("resume")));
}

void ResumableOutput::check_key(const json& before) const {
  for (const auto& [name, value] : choices_.key.items()) {
    const json was = before.is_object() ? before.value(name, json()) : json();
    if (was == value) continue;
    throw UsageError(fmt::format(
        "{}: {} was started with another {} ({}, now {}); give the original value, or remove {} to "
        "start over",
        option_name("resume"), choices_.output.string(), name, was.dump(), value.dump(),
        beside(".journal").string()));
  }
}

/// The leading blocks whose journal line and output are intact. `end` is the position in `lines` to
/// start from; set to the end of the last intact block.
std::vector<DoneBlock> ResumableOutput::sound_blocks(const std::string& lines,
                                                     std::size_t& end) const {
  const path file = beside(".part");
  const auto size = static_cast<int64_t>(std::filesystem::file_size(file));
  std::ifstream part(file, std::ios::binary);
  std::string text;
  std::vector<DoneBlock> blocks;
  int64_t bytes = 0;
  uint64_t checksum = 0;
  for (std::size_t stop; (stop = lines.find('\n', end)) != std::string::npos; end = stop + 1) {
    try {
      const DoneBlock block = block_of(json::parse(lines.substr(end, stop - end)));
      if (block.bytes < bytes || block.bytes > size) break;
      text.resize(static_cast<std::size_t>(block.bytes - bytes));
      if (!part.read(text.data(), static_cast<std::streamsize>(text.size()))) break;
      checksum = add_to_checksum(checksum, text.data(), text.size());
      if (checksum != block.checksum) break;
      bytes = block.bytes;
      blocks.push_back(block);
    } catch (const json::exception&) {
      break;
    }
  }
  return blocks;
}

void ResumableOutput::add(const TranslatedLine& line) {
  buffer_ += translation_text(line, choices_.moses);
}

void ResumableOutput::end_block(const InputBlock& block) {
  const int64_t before = done_.empty() ? 0 : done_.back().bytes;
  const uint64_t checksum = done_.empty() ? 0 : done_.back().checksum;
  append(part_, beside(".part"), buffer_);
  done_.push_back({block, before + static_cast<int64_t>(buffer_.size()),
                   add_to_checksum(checksum, buffer_.data(), buffer_.size())});
  buffer_.clear();
  append(journal_, beside(".journal"), to_json_line(done_.back()).dump() + "\n");
  skipped_ = done_.size();
}

void ResumableOutput::skip_block(const InputBlock& block) {
  if (same_input(done_.at(skipped_++).input, block)) return;
  throw DataError(fmt::format(
      "the input is not the one that {} was started with: it differs before line {}; give the "
      "original input, or remove {} to start over",
      choices_.output.string(), block.end_line + 1, beside(".journal").string()));
}

void ResumableOutput::commit(const TranslatedCount& count) {
  if (skipped_ != done_.size())
    throw DataError(fmt::format("the input is shorter than the one that {} was started with",
                                choices_.output.string()));
  if (choices_.to_merge) write_file_atomically(beside(".shard"), manifest(count).dump() + "\n");
  if (const int error = fault_point("rename", choices_.output); error != 0)
    fail_to_write(choices_.output, error);
  if (::rename(beside(".part").c_str(), choices_.output.c_str()) != 0)
    fail_to_write(choices_.output, errno);
  committed_ = true;
  std::error_code ignored;
  std::filesystem::remove(beside(".journal"), ignored);
}

json ResumableOutput::manifest(const TranslatedCount& count) const {
  json manifest = {{"shard", choices_.shard.name()},
                   {"key", choices_.key},
                   {"input_lines", count.input_lines},
                   {"input_checksum", count.input_checksum},
                   {"blocks", json::array()}};
  manifest["key"].erase("shard");
  for (const DoneBlock& block : done_) manifest["blocks"].push_back(to_json_line(block));
  return manifest;
}

}  // namespace attend::app
