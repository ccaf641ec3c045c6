#pragma once
#include <string>
#include <vector>

#include "data/dev_set.h"
#include "data/parallel_corpus.h"

namespace attend::app {

// Short texts that identify what a run uses, to compare processes, and a run with its resumption.
// Different inputs almost always have different fingerprints.

/// The numbers of pairs and pieces, and a checksum of the weights of the files and of a sample of
/// pairs (all pairs of a small corpus), because reading all of a large corpus would take minutes.
[[nodiscard]] std::string fingerprint(const data::ParallelCorpus& corpus);

/// The number of pairs and a checksum of all lines, independent of file names.
[[nodiscard]] std::string fingerprint(const data::DevSet& dev);

/// The checksum of a text.
[[nodiscard]] std::string fingerprint(const std::string& text);

/// The checksums of the tokenizers' models.
[[nodiscard]] std::string fingerprint(const std::vector<std::string>& tokenizer_models);

}  // namespace attend::app
