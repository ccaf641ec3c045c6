#include "app/export/zip_archive.h"

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "core/checksum.h"
#include "core/error.h"

namespace attend::app {
namespace {

constexpr uint64_t kLargest = std::numeric_limits<uint32_t>::max();  // without ZIP64
constexpr uint64_t kVersion = 20;  // of ZIP, needed to unpack: 2.0 for folders in names
constexpr uint64_t kNamesInUtf8 = 1U << 11U;
constexpr uint64_t kStored = 0;       // the method: uncompressed
constexpr uint64_t kFirstDay = 0x21;  // 1 January 1980
constexpr uint64_t kFileHeader = 0x04034b50, kDirectoryEntry = 0x02014b50, kEnd = 0x06054b50;

struct Field {
  int bytes;
  uint64_t value;
};

/// Appends little-endian fields.
void append_fields(std::string& bytes, std::initializer_list<Field> fields) {
  for (const Field& field : fields) {
    for (int i = 0; i < field.bytes; ++i)
      bytes.push_back(static_cast<char>((field.value >> (8 * i)) & 0xFFU));
  }
}

/// Appends the fields from "version needed" to "extra length", which both kinds of headers have.
void append_common(std::string& bytes, const ExportedFile& file) {
  const uint64_t size = file.content.size();
  const uint64_t checksum = add_to_checksum(0, file.content.data(), file.content.size());
  append_fields(bytes, {{2, kVersion},
                        {2, kNamesInUtf8},
                        {2, kStored},
                        {2, 0},
                        {2, kFirstDay},
                        {4, checksum},
                        {4, size},
                        {4, size},
                        {2, file.name.size()},
                        {2, 0}});
}

void append_file(std::string& archive, const ExportedFile& file) {
  append_fields(archive, {{4, kFileHeader}});
  append_common(archive, file);
  archive += file.name + file.content;
  if (archive.size() > kLargest)
    throw UsageError("the archive would have 4 GiB or more, which its format does not allow");
}

void append_entry(std::string& directory, const ExportedFile& file, uint64_t offset) {
  append_fields(directory, {{4, kDirectoryEntry}, {2, kVersion}});
  append_common(directory, file);
  // No comment, first disk, no attributes.
  append_fields(directory, {{2, 0}, {2, 0}, {2, 0}, {4, 0}, {4, offset}});
  directory += file.name;
}

}  // namespace

std::string zip_archive(const std::vector<ExportedFile>& files) {
  std::string archive, directory;
  for (const ExportedFile& file : files) {
    append_entry(directory, file, archive.size());
    append_file(archive, file);
  }
  const uint64_t start = archive.size(), count = files.size();
  archive += directory;
  append_fields(archive, {{4, kEnd},
                          {2, 0},
                          {2, 0},
                          {2, count},
                          {2, count},
                          {4, directory.size()},
                          {4, start},
                          {2, 0}});
  return archive;
}

}  // namespace attend::app
