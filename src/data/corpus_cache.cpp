// The keys name everything that the ids follow from. Instead of reading gigabytes of text to
// compare them they take what the system knows of each file. Size and time of change are not
// enough, since both can be set back (touch -r, cp -p, a restored copy); the inode and the time of
// the last change of the inode cannot.
#include "data/corpus_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/checksum.h"
#include "core/error.h"

namespace attend::data {
namespace {

constexpr int kKeyVersion = 4;  // changes with what ids are made of the same text

uint64_t checksum_of_model(const std::string& bytes) {
  return add_to_checksum(0, bytes.data(), bytes.size());
}

std::string time_of(const timespec& time) {
  return fmt::format("{}.{:09}", time.tv_sec, time.tv_nsec);
}

/// Path, size, and the last change of content and of inode.
std::string identity(const std::filesystem::path& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) throw DataError(file, std::strerror(errno));
  return fmt::format("{}:{}:{}:{}:{}", std::filesystem::absolute(file).string(), status.st_size,
                     status.st_ino, time_of(status.st_mtim), time_of(status.st_ctim));
}

/// The texts, with the tags that become pieces.
std::vector<std::string> identities(const DataOptions& options) {
  std::vector<std::string> parts;
  for (const CorpusFiles& files : options.train) {
    if (!files.tag.empty()) parts.push_back("tag=" + files.tag);
    for (const config::NamedPath& source : files.sources)
      parts.push_back(source.name + "=" + identity(source.path));
    parts.push_back(identity(files.target));
  }
  return parts;
}

}  // namespace

std::string corpus_key(const DataOptions& options,
                       const std::vector<std::string>& tokenizer_models) {
  std::vector<std::string> parts = identities(options);
  if (options.reverse_target) parts.emplace_back("reverse_target");
  for (const std::string& model : tokenizer_models)
    parts.push_back(fmt::format("{}:{:08x}", model.size(), checksum_of_model(model)));
  return fmt::format("corpus {}\nlowercase={} max_length={} max_ratio={}\n{}", kKeyVersion,
                     options.lowercase, options.max_length, options.max_ratio,
                     fmt::join(parts, "\n"));
}

std::string tokenizer_key(const DataOptions& options, const text::TokenizerOptions& tokenizer) {
  return fmt::format(
      "tokenizer {}\ntype={} vocabulary={} joint={} normalization={} coverage={} lines={} "
      "lowercase={} separator={}\n{}",
      kKeyVersion, tokenizer.type, tokenizer.vocabulary, tokenizer.joint, tokenizer.normalization,
      tokenizer.character_coverage, tokenizer.training_lines, options.lowercase,
      options.segments.separator, fmt::join(identities(options), "\n"));
}

}  // namespace attend::data
