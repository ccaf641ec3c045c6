#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace attend {

/// A kind of file that is often given in place of UTF-8 text.
struct ForeignFormat {
  std::string_view name;       ///< with its article: "an xz archive"
  std::string_view command;    ///< writes the content of a file to standard output
  std::string_view tail = "";  ///< what the command needs after the name of the file
  bool reads_pipes = true;     ///< false: the command needs a file
};

/// The format of an input that begins with the bytes `beginning`; nothing if they may be text.
/// Archives and documents are recognised by their first bytes, and UTF-16 without a byte-order mark
/// by its characters, if `beginning` holds at least eight of them.
[[nodiscard]] std::optional<ForeignFormat> foreign_format(std::string_view beginning);

/// True if `beginning` is too short for foreign_format(): the next bytes decide. False if it ends
/// with a line feed, so that a terminal's first line never waits for the second.
[[nodiscard]] bool may_become_foreign(std::string_view beginning);

/// The message for the input `name`: what it is, what was expected, and the command that converts
/// it. `gzipped`: the input is a gzip file whose content has this `format`.
[[nodiscard]] std::string foreign_message(const ForeignFormat& format, std::string_view name,
                                          bool gzipped);

}  // namespace attend
