// The module that is loaded at run time (see library.h).
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <iostream>
#include <memory>
#include <random>
#include <utility>

#include "text/sentencepiece/library.h"

namespace sentencepiece::logging {
// The library exports this function without declaring it in a public header.
void SetMinLogLevel(int level);
}  // namespace sentencepiece::logging

namespace sentencepiece::random {
// Exported, but not declared in a public header. Returns the generator of the calling thread.
std::mt19937* GetRandomGenerator();
}  // namespace sentencepiece::random

namespace attend::text {

// The program defines these destructors too, but the module shares no symbols with it.
SentencePieceModel::~SentencePieceModel() = default;
SentencePieceLibrary::~SentencePieceLibrary() = default;

namespace {

constexpr int kWholeLattice = -1;

std::vector<SentencePiece> pieces_of(const sentencepiece::ImmutableSentencePieceText& encoded) {
  std::vector<SentencePiece> pieces;
  pieces.reserve(encoded.pieces_size());
  for (const auto& piece : encoded.pieces()) {
    pieces.push_back({static_cast<int>(piece.id()), piece.piece(), {piece.begin(), piece.end()}});
  }
  return pieces;
}

class Model final : public SentencePieceModel {
 public:
  /// Returns true if `bytes` are a model.
  bool load(std::string_view bytes) {
    return processor_.LoadFromSerializedProto(bytes).ok() && size() > 0;
  }

  [[nodiscard]] int size() const override { return processor_.GetPieceSize(); }
  [[nodiscard]] std::string piece(int id) const override { return processor_.IdToPiece(id); }
  [[nodiscard]] std::vector<int> special_ids() const override {
    return {processor_.pad_id(), processor_.unk_id(), processor_.bos_id(), processor_.eos_id()};
  }

  [[nodiscard]] std::vector<int> encode(std::string_view line) const override {
    return processor_.EncodeAsIds(line);
  }

  [[nodiscard]] std::vector<SentencePiece> encode_pieces(std::string_view line) const override {
    return pieces_of(processor_.EncodeAsImmutableProto(line));
  }

  [[nodiscard]] std::optional<std::vector<int>> sample(std::string_view line,
                                                       double alpha) const override {
    std::vector<int> ids;
    const auto status =
        processor_.SampleEncode(line, kWholeLattice, static_cast<float>(alpha), &ids);
    return status.ok() ? std::optional(std::move(ids)) : std::nullopt;
  }

  [[nodiscard]] std::optional<std::vector<SentencePiece>> sample_pieces(
      std::string_view line, double alpha) const override {
    sentencepiece::ImmutableSentencePieceText encoded;
    const auto status = processor_.SampleEncode(line, kWholeLattice, static_cast<float>(alpha),
                                                encoded.mutable_proto());
    return status.ok() ? std::optional(pieces_of(encoded)) : std::nullopt;
  }

  [[nodiscard]] std::optional<std::vector<int>> sample_from(std::string_view line, double alpha,
                                                            uint32_t seed) const override {
    sentencepiece::random::GetRandomGenerator()->seed(seed);
    return sample(line, alpha);
  }

  [[nodiscard]] JoinedPieces join(const std::vector<std::string_view>& pieces) const override {
    const auto decoded = processor_.DecodePiecesAsImmutableProto(pieces);
    JoinedPieces joined{decoded.text(), {}};
    for (const auto& piece : decoded.pieces()) joined.ends.push_back(piece.end());
    return joined;
  }

 private:
  sentencepiece::SentencePieceProcessor processor_;
};

/// Passes lines to the trainer, which keeps a copy, and frees each line after it is read.
class Lines final : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(std::vector<std::string> lines) : lines_(std::move(lines)) {}

  [[nodiscard]] bool done() const override { return next_ == lines_.size(); }
  void Next() override { std::exchange(lines_[next_++], {}); }
  [[nodiscard]] const std::string& value() const override { return lines_[next_]; }
  [[nodiscard]] sentencepiece::util::Status status() const override { return {}; }

 private:
  std::vector<std::string> lines_;
  std::size_t next_ = 0;
};

class Library final : public SentencePieceLibrary {
 public:
  [[nodiscard]] std::unique_ptr<SentencePieceModel> load(std::string_view bytes) const override {
    auto model = std::make_unique<Model>();
    if (!model->load(bytes)) return nullptr;
    return model;
  }

  [[nodiscard]] TrainedModel train(const std::unordered_map<std::string, std::string>& arguments,
                                   std::vector<std::string> lines) const override {
    Lines sentences(std::move(lines));
    TrainedModel model;
    const auto status =
        sentencepiece::SentencePieceTrainer::Train(arguments, &sentences, &model.bytes);
    if (!status.ok()) model.error = status.ToString();
    return model;
  }

  void set_seed(uint32_t seed) const override { sentencepiece::SetRandomGeneratorSeed(seed); }
};

/// A program may have its own copy of std::cerr (a copy relocation), and only that copy is
/// constructed. This module binds to the C++ library's std::cerr, which is then not constructed,
/// and SentencePiece would crash when it prints.
void share_cerr(std::ostream& program_cerr) {
  if (&std::cerr != &program_cerr) std::construct_at(&std::cerr, program_cerr.rdbuf());
}

}  // namespace
}  // namespace attend::text

extern "C" __attribute__((visibility("default"))) const attend::text::SentencePieceLibrary*
attend_sentencepiece(std::ostream* program_cerr) {
  constexpr int kFatalOnly = 3;
  attend::text::share_cerr(*program_cerr);
  sentencepiece::logging::SetMinLogLevel(kFatalOnly);
  static const attend::text::Library library;
  return &library;
}
