#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/schema.h"
#include "core/named_enum.h"
#include "text/protect_options.h"

namespace attend::data {

/// Two files of equal line count, plain or gzip; line i of one is the translation of line i of the
/// other.
struct PairFiles {
  std::string source;
  std::string target;

  [[nodiscard]] bool empty() const { return source.empty() && target.empty(); }
};

/// The files of a text: one or more sources and a target, all of equal line count, plain or gzip.
/// Line i of each belongs to example i.
struct ExampleFiles {
  std::vector<config::NamedPath> sources;  ///< by name; a single source may have no name
  std::string target;

  ExampleFiles() = default;
  ExampleFiles(std::string source, std::string target);
  ExampleFiles(const PairFiles& pair) : ExampleFiles(pair.source, pair.target) {}

  [[nodiscard]] bool empty() const { return sources.empty() && target.empty(); }
  /// The file that messages name: the first source.
  [[nodiscard]] const std::string& source() const { return sources.at(0).path; }
};

/// The files of a training text, with its weight relative to other texts.
struct CorpusFiles : ExampleFiles {
  using ExampleFiles::ExampleFiles;

  double weight = 1.0;          ///< how often an epoch has each of its examples, on average
  std::string tag;              ///< a piece before each source (Caswell et al. 2019); empty: none
  std::string term_links = {};  ///< set by texts_of(): links of terms to mark; empty: none
};

/// The section `data.segments`: the parts of lines, for models that read segments.
struct SegmentOptions {
  std::string separator;  ///< one piece between segments; empty: lines are not split
};

/// The section `data.augment`: shares of the training pairs that change, drawn anew in each epoch.
/// At most one change is made to a pair.
struct AugmentOptions {
  double upper_case = 0.0;
  double title_case = 0.0;
  double no_final_mark = 0.0;
  double typos = 0.0;
  double two_sentences = 0.0;

  [[nodiscard]] double sum() const {
    return upper_case + title_case + no_final_mark + typos + two_sentences;
  }
  bool operator==(const AugmentOptions&) const = default;
};

/// The section `data.terms`: pairs whose sources show the translations of some words, so that the
/// model learns to use a given translation (Dinu et al. 2019).
struct TermOptions {
  std::vector<std::string> links;  ///< Pharaoh files, one for each of data.train; empty: off
  double share = 0.3;              ///< marked pairs of an epoch, relative to all pairs

  [[nodiscard]] bool empty() const { return links.empty(); }
  bool operator==(const TermOptions&) const = default;
};

/// Where the token ids of the training text are kept.
enum class Storage { memory, mmap };

constexpr auto name_table(Storage) {
  return std::to_array<NamedValue<Storage>>({{Storage::memory, "memory"}, {Storage::mmap, "mmap"}});
}

/// The config section `data`.
struct DataOptions {
  std::vector<CorpusFiles> train;  ///< read one after another; all have the same source names
  ExampleFiles dev;                ///< empty: no validation
  int64_t max_length = 100;        ///< pieces per side, the end symbol not counted
  double max_ratio = 0.0;          ///< longer side over shorter side, in pieces; 0: no limit
  double max_unknown = 0.5;        ///< largest share of unknown pieces on a side of the text
  bool lowercase = false;          ///< lower-case all text before tokenisation
  bool reverse_target = false;     ///< write translations from their last piece to the first
  Storage storage = Storage::memory;
  SegmentOptions segments;
  AugmentOptions augment;
  text::ProtectOptions protect;
  TermOptions terms;
  /// auto, none or a file: the token cache, which the next run of the same text reads
  std::string cache = "auto";

  [[nodiscard]] bool caches_beside_the_run() const { return cache == "auto"; }
  [[nodiscard]] bool caches_nothing() const { return cache == "none"; }
};

/// The texts that training reads: options.train, and with data.terms each of them again, with
/// marked terms and options.terms.share of its weight.
[[nodiscard]] std::vector<CorpusFiles> texts_of(const DataOptions& options);

/// Number of source sides of each example; 1 if no text is given.
[[nodiscard]] std::size_t count_sources(const DataOptions& options);

/// The names of each example's source sides, in their order; none if no text is given, and one
/// empty name for a single unnamed source.
[[nodiscard]] std::vector<std::string> source_names(const DataOptions& options);

/// The distinct tags of the training texts, in their order.
[[nodiscard]] std::vector<std::string> tags_of(const DataOptions& options);

void describe(config::Schema<ExampleFiles>& schema);
void describe(config::Schema<CorpusFiles>& schema);
void describe(config::Schema<SegmentOptions>& schema);
void describe(config::Schema<AugmentOptions>& schema);
void describe(config::Schema<TermOptions>& schema);
void describe(config::Schema<DataOptions>& schema);

}  // namespace attend::data
