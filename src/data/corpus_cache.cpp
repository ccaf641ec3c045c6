// The keys name everything that determines the ids. Comparing the text itself would read gigabytes,
// so a key holds file metadata instead. Size and modification time are not enough, since both can
// be set back (touch -r, cp -p, a restored copy); the inode and its change time cannot.
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

constexpr int kKeyVersion = 4;  // bump it when the same text gives other ids

uint64_t checksum_of_model(const std::string& bytes) {
  return add_to_checksum(0, bytes.data(), bytes.size());
}

std::string time_of(const timespec& time) {
  return fmt::format("{}.{:09}", time.tv_sec, time.tv_nsec);
}

/// Path, size, inode, and change times of content and inode.
std::string identity(const std::filesystem::path& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) throw DataError(file, std::strerror(errno));
  return fmt::format("{}:{}:{}:{}:{}", std::filesystem::absolute(file).string(), status.st_size,
                     status.st_ino, time_of(status.st_mtim), time_of(status.st_ctim));
}

/// The identities of all text files, with names and tags.
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

/// The shares of the changes within lines; "" if there are none.
std::string shares(const AugmentOptions& augment) {
  if (augment.sum() == augment.two_sentences) return "";
  return fmt::format(" augment={},{},{},{}", augment.upper_case, augment.title_case,
                     augment.no_final_mark, augment.typos);
}

/// The protected kinds and patterns and their share; "" if nothing is protected. The number counts
/// the changes of what the kinds find.
std::string protection(const text::ProtectOptions& protect) {
  if (protect.empty()) return "";
  return fmt::format(" protect2={} {} {}", fmt::join(protect.kinds, ","),
                     fmt::join(protect.patterns, "\t"), protect.share);
}

/// The link files of terms; "" if none are marked. The number counts the changes of which copies
/// are kept.
std::string marks(const TermOptions& terms) {
  if (terms.empty()) return "";
  std::vector<std::string> files;
  for (const std::string& links : terms.links) files.push_back(identity(links));
  return fmt::format(" terms2={}", fmt::join(files, " "));
}

}  // namespace

std::string corpus_key(const DataOptions& options,
                       const std::vector<std::string>& tokenizer_models) {
  std::vector<std::string> parts = identities(options);
  if (options.reverse_target) parts.emplace_back("reverse_target");
  for (const std::string& model : tokenizer_models)
    parts.push_back(fmt::format("{}:{:08x}", model.size(), checksum_of_model(model)));
  return fmt::format("corpus {}\nlowercase={} max_length={} max_ratio={}{}{}\n{}", kKeyVersion,
                     options.lowercase, options.max_length, options.max_ratio,
                     protection(options.protect), marks(options.terms), fmt::join(parts, "\n"));
}

std::string tokenizer_key(const DataOptions& options, const text::TokenizerOptions& tokenizer) {
  return fmt::format(
      "tokenizer {}\ntype={} vocabulary={} joint={} normalization={} coverage={} lines={} "
      "lowercase={} separator={}{}{}{}{}\n{}",
      kKeyVersion, tokenizer.type, tokenizer.vocabulary, tokenizer.joint, tokenizer.normalization,
      tokenizer.character_coverage, tokenizer.training_lines, options.lowercase,
      options.segments.separator, tokenizer.byte_fallback ? " byte_fallback" : "",
      shares(options.augment), protection(options.protect), options.terms.empty() ? "" : " terms",
      fmt::join(identities(options), "\n"));
}

}  // namespace attend::data
