#include <span>
#include <vector>

#include "core/byte_source.h"
#include "core/error.h"
#include "core/file.h"
#include "core/foreign_format.h"
#include "core/log.h"
#include "core/utf8.h"

namespace attend {

namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 16;
constexpr std::size_t kLongestLine = std::size_t{1} << 26;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

struct LineReader::Impl {
  explicit Impl(const std::filesystem::path& file)
      : path(file), source(file), storage(kBufferSize, '\0') {}

  // Reads more bytes into `unread`; false at the end of the input.
  bool fill() {
    share_before = source.share_read();
    std::size_t count = source.read(storage);
    if (!started) count = check_beginning(count);
    unread = std::string_view(storage.data(), count);
    portion = unread.size();
    if (unread.empty()) at_end = true;
    return !at_end;
  }

  // Throws DataError if the input does not begin like text. `count` bytes are in `storage`; reads
  // more only while they may begin an archive. Returns the number of bytes in `storage`.
  std::size_t check_beginning(std::size_t count) {
    started = true;
    while (count > 0 && may_become_foreign(std::string_view(storage.data(), count))) {
      const std::size_t more = source.read(std::span(storage).subspan(count));
      if (more == 0) break;
      count += more;
    }
    if (const auto format = foreign_format(std::string_view(storage.data(), count)))
      throw DataError(source.name(), foreign_message(*format, source.name(), source.is_gzip()));
    return count;
  }

  std::optional<std::string> raw_line();

  std::filesystem::path path;
  ByteSource source;
  std::string storage;
  std::string_view unread;    // part of storage
  std::size_t portion = 0;    // bytes that the last fill() read
  double share_before = 0.0;  // share_read() before the last fill()
  bool started = false;
  bool at_end = false;
  bool ended_by_lf = false;
  std::string_view line_end;
  int64_t lines = 0;
  int64_t repaired = 0;
  int64_t first_repaired = 0;
};

// The bytes up to the next LF or the end of the input.
std::optional<std::string> LineReader::Impl::raw_line() {
  std::string line;
  ended_by_lf = false;
  while (!at_end && !ended_by_lf) {
    if (unread.empty() && !fill()) break;
    const std::size_t end = unread.find('\n');
    ended_by_lf = end != std::string_view::npos;
    line += unread.substr(0, end);
    if (line.size() > kLongestLine) {
      throw DataError(source.name(), lines + 1,
                      "the line is longer than 64 MiB; the file may not be text");
    }
    unread.remove_prefix(ended_by_lf ? end + 1 : unread.size());
  }
  if (line.empty() && !ended_by_lf) return std::nullopt;
  return line;
}

LineReader::LineReader(const std::filesystem::path& path) : impl_(std::make_unique<Impl>(path)) {}
LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

std::optional<std::string> LineReader::next() {
  auto line = impl_->raw_line();
  if (!line) return std::nullopt;
  if (impl_->lines == 0 && line->starts_with(kByteOrderMark)) {
    line->erase(0, kByteOrderMark.size());
    if (line->empty() && !impl_->ended_by_lf) return std::nullopt;
  }
  ++impl_->lines;
  impl_->line_end = impl_->ended_by_lf ? "\n" : "";
  if (impl_->ended_by_lf && line->ends_with('\r')) {
    line->pop_back();
    impl_->line_end = "\r\n";
  }
  if (!utf8::is_valid(*line)) {
    line = utf8::replace_invalid(*line);
    if (impl_->repaired++ == 0) impl_->first_repaired = impl_->lines;
  }
  return line;
}

std::string_view LineReader::line_end() const {
  return impl_->line_end;
}
int64_t LineReader::line_number() const {
  return impl_->lines;
}
int64_t LineReader::repaired_lines() const {
  return impl_->repaired;
}
int64_t LineReader::first_repaired_line() const {
  return impl_->first_repaired;
}

int64_t LineReader::bytes_read() const {
  return impl_->source.bytes_read();
}

double LineReader::share_read() const {
  const double read = impl_->source.share_read();
  if (impl_->unread.empty()) return read;
  const double left =
      static_cast<double>(impl_->unread.size()) / static_cast<double>(impl_->portion);
  return read - left * (read - impl_->share_before);
}

bool LineReader::would_block() const {
  if (impl_->at_end || impl_->unread.find('\n') != std::string_view::npos) return false;
  return impl_->source.would_block();
}

const std::filesystem::path& LineReader::path() const {
  return impl_->path;
}

void warn_about_repairs(const LineReader& reader) {
  warn_about_repairs(reader.path(), reader.repaired_lines(), reader.first_repaired_line());
}

void warn_about_repairs(const std::filesystem::path& file, int64_t lines, int64_t first) {
  if (lines == 0) return;
  log::warning("{}: invalid UTF-8 in {} {} (first: line {}); replaced by U+FFFD",
               file == "-" ? "standard input" : file.string(), lines, lines == 1 ? "line" : "lines",
               first);
}

}  // namespace attend
