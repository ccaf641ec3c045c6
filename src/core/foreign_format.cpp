#include "core/foreign_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/utf8.h"

namespace attend {
namespace {

using namespace std::string_view_literals;

/// The first bytes of a format. '#' stands for a digit from 1 to 9.
struct Signature {
  std::string_view bytes;
  ForeignFormat format;
};

constexpr ForeignFormat kUtf16 = {"UTF-16 text", "iconv -f UTF-16 -t UTF-8"};
constexpr ForeignFormat kUtf16Little = {"UTF-16 text without a byte-order mark",
                                        "iconv -f UTF-16LE -t UTF-8"};
constexpr ForeignFormat kUtf16Big = {"UTF-16 text without a byte-order mark",
                                     "iconv -f UTF-16BE -t UTF-8"};
constexpr ForeignFormat kUtf32 = {"UTF-32 text", "iconv -f UTF-32 -t UTF-8"};
constexpr ForeignFormat kBzip2 = {"a bzip2 file", "bzip2 -dc"};
constexpr ForeignFormat kZip = {"a zip archive (or a .docx, .xlsx or .odt document)", "unzip -p",
                                "", false};
constexpr ForeignFormat kTar = {"a tar archive", "tar -xOf", "", false};

// UTF-32 comes before UTF-16, because its byte-order mark begins with that of UTF-16.
constexpr Signature kSignatures[] = {
    {"\xFF\xFE\0\0"sv, kUtf32},
    {"\0\0\xFE\xFF"sv, kUtf32},
    {"\xFF\xFE"sv, kUtf16},
    {"\xFE\xFF"sv, kUtf16},
    {"\xFD\x37zXZ\0"sv, {"an xz file", "xz -dc"}},
    {"BZh#1AY&SY"sv, kBzip2},
    {"BZh#\x17\x72\x45\x38\x50\x90"sv, kBzip2},  // of an empty file
    {"\x28\xB5\x2F\xFD"sv, {"a zstd file", "zstd -dc"}},
    {"PK\x03\x04"sv, kZip},
    {"PK\x05\x06"sv, kZip},  // without members
    {"\x1F\x8B"sv, {"a gzip file", "gzip -dc"}},
    {"\x1F\x9D"sv, {"a compress file (.Z)", "gzip -dc"}},
    {"\x04\x22\x4D\x18"sv, {"an lz4 file", "lz4 -dc"}},
    {"LZIP\x01"sv, {"an lzip file", "lzip -dc"}},
    {"7z\xBC\xAF\x27\x1C"sv, {"a 7z archive", "7z x -so", "", false}},
    {"Rar!\x1A\x07"sv, {"a rar archive", "unrar p -inul", "", false}},
    {"%PDF-"sv, {"a PDF document", "pdftotext", " -", false}},
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, {"an old Word or Excel document", "catdoc", "", false}},
};

bool matches(char expected, char found) {
  return expected == '#' ? found >= '1' && found <= '9' : expected == found;
}

bool shares_its_beginning(std::string_view bytes, std::string_view signature) {
  const std::size_t common = std::min(bytes.size(), signature.size());
  return std::equal(signature.begin(), signature.begin() + static_cast<std::ptrdiff_t>(common),
                    bytes.begin(), matches);
}

/// True for POSIX.1-1988 (ustar) and for GNU tar's earlier form.
bool is_tar(std::string_view bytes) {
  constexpr std::size_t kPlace = 257;
  return bytes.size() > kPlace && bytes.substr(kPlace).starts_with("ustar");
}

bool is_no_text(char32_t code) {
  return (code < 0x20 && code != '\t' && code != '\n' && code != '\f' && code != '\r') ||
         code == 0x7F;
}

/// True if at least one in sixteen bytes is a control character or ill-formed in UTF-8.
bool is_odd_utf8(std::string_view text) {
  const std::size_t all = text.size();
  std::size_t odd = 0;
  while (!text.empty()) {
    const utf8::Character character = utf8::first_character(text);
    if (is_no_text(character.code) || character.code == 0xFFFD) ++odd;
    text.remove_prefix(character.bytes);
  }
  return 16 * odd >= all;
}

/// Counts the code units of a text that is read as UTF-16.
struct CodeUnits {
  bool well_formed = true;  // no unpaired surrogates, controls or noncharacters
  std::size_t count = 0;
  std::size_t low = 0;       // up to U+00FF
  std::size_t low_zero = 0;  // U+xx00: rare
  std::size_t line_feeds = 0;
};

class UnitCounter {
 public:
  void add(uint32_t unit) {
    ++units_.count;
    const bool trails = unit >= 0xDC00 && unit < 0xE000;
    if (trails != lead_) units_.well_formed = false;
    lead_ = unit >= 0xD800 && unit < 0xDC00;
    if (is_no_text(unit) || utf8::is_noncharacter(unit)) units_.well_formed = false;
    units_.low += unit <= 0xFF ? 1 : 0;
    units_.low_zero += (unit & 0xFFU) == 0 ? 1 : 0;
    units_.line_feeds += unit == '\n' ? 1 : 0;
  }
  /// The counts so far. A leading surrogate at the end is well-formed, since the text may continue.
  [[nodiscard]] const CodeUnits& units() const { return units_; }

 private:
  CodeUnits units_;
  bool lead_ = false;
};

CodeUnits units_of(std::string_view bytes, bool big) {
  UnitCounter counter;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto first = static_cast<uint32_t>(static_cast<unsigned char>(bytes[i]));
    const auto second = static_cast<uint32_t>(static_cast<unsigned char>(bytes[i + 1]));
    counter.add(big ? first << 8U | second : second << 8U | first);
  }
  return counter.units();
}

/// True if the bytes look like UTF-16: they contain line feeds or, in a long first line, many ASCII
/// characters. In UTF-16 both have a zero byte, which UTF-8 text lacks.
bool is_utf16(std::string_view bytes, bool big) {
  constexpr std::size_t kFewestUnits = 8;  // fewer may be text with NUL characters
  const CodeUnits units = units_of(bytes, big);
  if (!units.well_formed || units.count < kFewestUnits || units.low < units.low_zero) return false;
  if (units.line_feeds > 0) return true;
  return 2 * units.low >= units.count && bytes.find('\n') == std::string_view::npos;
}

std::optional<ForeignFormat> unmarked_utf16(std::string_view bytes) {
  bytes = bytes.substr(0, bytes.size() / 2 * 2);
  if (bytes.find('\0') == std::string_view::npos || !is_odd_utf8(bytes)) return std::nullopt;
  if (is_utf16(bytes, /*big=*/false)) return kUtf16Little;
  if (is_utf16(bytes, /*big=*/true)) return kUtf16Big;
  return std::nullopt;
}

bool is_plain_in_shells(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         "/._-+,=@:%"sv.find(c) != std::string_view::npos;
}

/// Returns `name` as a word of a shell command, quoted if necessary.
std::string shell_word(std::string_view name) {
  if (std::ranges::all_of(name, is_plain_in_shells)) return std::string(name);
  std::string word = "'";
  for (const char c : name) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

}  // namespace

std::optional<ForeignFormat> foreign_format(std::string_view beginning) {
  for (const Signature& signature : kSignatures) {
    if (beginning.size() >= signature.bytes.size() &&
        shares_its_beginning(beginning, signature.bytes))
      return signature.format;
  }
  if (is_tar(beginning)) return kTar;
  return unmarked_utf16(beginning);
}

bool may_become_foreign(std::string_view beginning) {
  return std::ranges::any_of(kSignatures, [&](const Signature& signature) {
    return beginning.size() < signature.bytes.size() &&
           shares_its_beginning(beginning, signature.bytes);
  });
}

std::string foreign_message(const ForeignFormat& format, std::string_view name, bool gzipped) {
  const bool has_file = name != "standard input";
  const std::string file = has_file ? shell_word(name) : "FILE";
  const std::string output = has_file ? shell_word(std::string(name) + ".txt") : "FILE.txt";
  std::string command = fmt::format("{} {}{}", format.command, file, format.tail);
  if (gzipped) command = fmt::format("gzip -dc {} | {}", file, format.command);
  if (gzipped && !format.reads_pipes) command = fmt::format("gzip -dc {}", file);
  return fmt::format("is {}{}; expected UTF-8 text, plain or gzip. Convert it: {} > {}",
                     format.name, gzipped ? ", compressed with gzip" : "", command, output);
}

}  // namespace attend
