#include "text/tokenizer.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "text/lowercase.h"

namespace attend::text {
namespace {

constexpr std::string_view kUnkSurface = "\u2047";

std::size_t index(TokenId id) {
  return static_cast<std::size_t>(id);
}

/// SentencePiece draws from one generator per thread, seeded from a process-wide number when a
/// thread first draws. Whoever sets that number holds this.
std::mutex& sampling_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// SentencePiece reserves the largest value for "seed from the clock".
uint32_t sentencepiece_seed(uint64_t seed) {
  const auto folded = static_cast<uint32_t>(seed ^ (seed >> 32));
  return folded == std::numeric_limits<uint32_t>::max() ? 0 : folded;
}

}  // namespace

struct Tokenizer::Impl {
  sentencepiece::SentencePieceProcessor processor;
  bool lowercase = false;
  std::vector<TokenId> ours;       // by SentencePiece's id
  std::vector<std::string> names;  // by our id

  void number_pieces();
  [[nodiscard]] std::vector<TokenId> to_ours(const std::vector<int>& ids) const;
  [[nodiscard]] std::vector<TokenId> sample(const std::string& line, double alpha) const;
  [[nodiscard]] sentencepiece::ImmutableSentencePieceText decode(
      std::span<const TokenId> ids) const;
};

void Tokenizer::Impl::number_pieces() {
  names = {"<pad>", "<unk>", "<s>", "</s>"};
  ours.assign(static_cast<std::size_t>(processor.GetPieceSize()), kUnk);
  const std::array special = {processor.pad_id(), processor.unk_id(), processor.bos_id(),
                              processor.eos_id()};  // in the order of our ids
  for (int theirs = 0; theirs < processor.GetPieceSize(); ++theirs) {
    const auto found = std::find(special.begin(), special.end(), theirs);
    if (found != special.end()) {
      ours[index(theirs)] = static_cast<TokenId>(found - special.begin());
    } else {
      ours[index(theirs)] = static_cast<TokenId>(names.size());
      names.push_back(processor.IdToPiece(theirs));
    }
  }
}

std::vector<TokenId> Tokenizer::Impl::to_ours(const std::vector<int>& ids) const {
  std::vector<TokenId> result;
  result.reserve(ids.size());
  for (const int id : ids) result.push_back(ours.at(index(id)));
  return result;
}

std::vector<TokenId> Tokenizer::Impl::sample(const std::string& line, double alpha) const {
  constexpr int kWholeLattice = -1;
  std::vector<int> ids;
  const std::string& text = lowercase ? Lowercased(line).text() : line;
  const auto status = processor.SampleEncode(text, kWholeLattice, static_cast<float>(alpha), &ids);
  if (!status.ok()) {
    throw ConfigError(
        "tokenizer.sampling: this SentencePiece model has a single way to cut a line; use a bpe or "
        "unigram model, or set tokenizer.sampling to 0");
  }
  return to_ours(ids);
}

/// Pieces go in as text: that way an unknown one becomes U+2047 whatever the model prints for it.
sentencepiece::ImmutableSentencePieceText Tokenizer::Impl::decode(
    std::span<const TokenId> ids) const {
  std::vector<std::string_view> pieces;
  for (const TokenId id : ids) {
    if (id == kUnk) {
      pieces.push_back(kUnkSurface);
    } else if (id >= kSpecialSymbols) {
      pieces.push_back(names.at(index(id)));
    }
  }
  return processor.DecodePiecesAsImmutableProto(pieces);
}

Tokenizer::Tokenizer(const std::filesystem::path& model, bool lowercase)
    : impl_(std::make_unique<Impl>()) {
  std::string bytes;
  try {
    bytes = read_file(model);
  } catch (const DataError& error) {
    throw ModelFileError(model,
                         fmt::format("no SentencePiece model could be read: {}", error.what()));
  }
  const auto status = impl_->processor.LoadFromSerializedProto(bytes);
  if (!status.ok() || impl_->processor.GetPieceSize() == 0) {
    throw ModelFileError(model,
                         "is not a SentencePiece model (a file that spm_train names .model)");
  }
  impl_->lowercase = lowercase;
  impl_->number_pieces();
}

Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

std::vector<TokenId> Tokenizer::encode(std::string_view line) const {
  if (!impl_->lowercase) return impl_->to_ours(impl_->processor.EncodeAsIds(line));
  return impl_->to_ours(impl_->processor.EncodeAsIds(Lowercased(line).text()));
}

std::vector<Piece> Tokenizer::encode_pieces(std::string_view line) const {
  std::optional<Lowercased> lower;
  if (impl_->lowercase) lower.emplace(line);
  const auto original = [&](std::size_t offset) {
    return lower ? lower->original(offset) : offset;
  };
  const auto encoded = impl_->processor.EncodeAsImmutableProto(lower ? lower->text() : line);
  std::vector<Piece> pieces;
  pieces.reserve(encoded.pieces_size());
  for (const auto& piece : encoded.pieces()) {
    pieces.push_back({impl_->ours.at(piece.id()),
                      piece.piece(),
                      {original(piece.begin()), original(piece.end())}});
  }
  return pieces;
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const {
  return impl_->decode(ids).text();
}

Detokenized Tokenizer::decode_with_spans(std::span<const TokenId> ids) const {
  const auto decoded = impl_->decode(ids);
  Detokenized result{decoded.text(), {}};
  std::size_t position = 0;
  int next = 0;
  for (const TokenId id : ids) {
    const bool visible = id == kUnk || id >= kSpecialSymbols;
    const std::size_t begin = position;
    if (visible) position = decoded.pieces(next++).end();
    result.spans.push_back({begin, position});
  }
  return result;
}

const std::string& Tokenizer::piece(TokenId id) const {
  return impl_->names.at(index(id));
}

int64_t Tokenizer::size() const {
  return static_cast<int64_t>(impl_->names.size());
}

std::vector<std::vector<TokenId>> Tokenizer::encode_sampled(std::span<const std::string> lines,
                                                            double alpha, uint64_t seed) const {
  std::vector<std::vector<TokenId>> result(lines.size());
  std::exception_ptr failure;
  const auto work = [&]() noexcept {
    try {
      for (std::size_t i = 0; i < lines.size(); ++i) result[i] = impl_->sample(lines[i], alpha);
    } catch (...) {
      failure = std::current_exception();
    }
  };
  const std::lock_guard lock(sampling_mutex());
  sentencepiece::SetRandomGeneratorSeed(sentencepiece_seed(seed));
  std::thread(work).join();  // a new thread, so that its generator starts from this seed
  if (failure) std::rethrow_exception(failure);
  return result;
}

}  // namespace attend::text
