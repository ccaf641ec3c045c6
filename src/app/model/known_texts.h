#pragma once
#include <filesystem>
#include <memory>
#include <string_view>

#include "data/corpus_reader.h"
#include "data/parallel_corpus.h"
#include "text/known_text.h"

namespace attend::app {

/// The pieces of the training text, counted on both sides.
struct TrainedPieces {
  text::PieceCounts source;  ///< all sources together
  text::PieceCounts target;
};

/// Counts the pieces of up to 100,000 examples spread over the text.
[[nodiscard]] TrainedPieces count_pieces(const data::ParallelCorpus& corpus,
                                         const data::TokenizerPair& tokenizers);

/// How a line compares with the training text of a model.
enum class Likeness {
  kTooShort,  ///< too little text: fewer than 15 characters, or 5 of Han or kana
  kSource,    ///< like the text that the model reads
  kTarget,    ///< like the text that the model writes
  kNeither,   ///< another language, another script, or words that training did not have
};

/// Compares lines with the two sides of a model's training text, whose pieces were counted.
class KnownTexts {
 public:
  KnownTexts(std::shared_ptr<const text::Tokenizer> source_tokenizer,
             std::shared_ptr<const text::Tokenizer> target_tokenizer, const TrainedPieces& pieces);

  [[nodiscard]] const text::KnownText& source() const { return source_; }
  [[nodiscard]] const text::KnownText& target() const { return target_; }

  /// kTarget if the target side explains the line much better than the source side. Otherwise
  /// kNeither if the line does not resemble the source side (text::KnownText::resembles()).
  [[nodiscard]] Likeness likeness(std::string_view line) const;

 private:
  text::KnownText source_;
  text::KnownText target_;
};

/// Writes pieces.json in a model folder. Throws DataError.
void save_trained_pieces(const std::filesystem::path& directory, const TrainedPieces& pieces);

/// Copies pieces.json to another model folder if there is one. Throws DataError.
void copy_trained_pieces(const std::filesystem::path& from, const std::filesystem::path& to);

/// Reads pieces.json of a model folder. Null if there is none: the model is of an earlier version.
/// Throws ModelFileError for a file that is damaged or does not fit the tokenizers.
[[nodiscard]] std::shared_ptr<const KnownTexts> load_known_texts(
    const std::filesystem::path& directory, const std::shared_ptr<const text::Tokenizer>& source,
    const std::shared_ptr<const text::Tokenizer>& target);

}  // namespace attend::app
