#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/translate/line_shard.h"
#include "app/translate/translate_lines.h"
#include "core/file_lock.h"

namespace attend::app {

/// A translation that may be interrupted, or is one of several shards.
struct ResumableChoices {
  std::filesystem::path output;  ///< a file, which appears when all of it is there
  bool moses = false;            ///< as OutputChoices
  LineShard shard;
  bool to_merge = false;  ///< leave OUTPUT.shard, which merge_shards() needs
  /// Go on where an earlier process stopped, and leave what is done if stopped.
  bool resume = false;
  /// What the translations follow from but for the text, by name. All must be as before.
  nlohmann::json key;
};

/// What is known of a block of lines when it has been translated.
struct DoneBlock {
  InputBlock input;
  int64_t bytes = 0;      ///< of the output up to its end
  uint64_t checksum = 0;  ///< CRC-32 of these
};

/// Writes translations block by block to OUTPUT.part, each block to the disk before a line about it
/// is added to OUTPUT.journal: so whatever the journal has is there, and what a killed process
/// wrote after it is cut off by the next one. At the end the part becomes OUTPUT and the journal
/// goes. OUTPUT.lock keeps another process away.
class ResumableOutput final : public TranslationSink {
 public:
  /// Opens what is there. Throws UsageError if OUTPUT cannot be such a file, if another key was
  /// given before, or if there is a journal of done blocks and no `resume`; DataError if the files
  /// cannot be used.
  explicit ResumableOutput(ResumableChoices choices);
  /// Without `resume`, nothing half-made is left.
  ~ResumableOutput() override;
  ResumableOutput(const ResumableOutput&) = delete;
  ResumableOutput& operator=(const ResumableOutput&) = delete;

  /// Blocks of the shard that need not be translated again.
  [[nodiscard]] int64_t blocks_done() const { return static_cast<int64_t>(done_.size()); }

  void add(const TranslatedLine& line) override;
  void end_block(const InputBlock& block) override;
  /// Throws DataError if the text is not what it was.
  void skip_block(const InputBlock& block) override;

  /// Puts the file in place. `count`: of the whole input.
  void commit(const TranslatedCount& count);

 private:
  void load_journal();
  void refuse_to_lose_blocks() const;
  void start_journal();
  void check_key(const nlohmann::json& before) const;
  [[nodiscard]] std::vector<DoneBlock> sound_blocks(const std::string& lines,
                                                    std::size_t& end) const;
  void write_manifest(const TranslatedCount& count) const;
  [[nodiscard]] std::filesystem::path beside(const char* ending) const;

  ResumableChoices choices_;
  FileLock lock_;
  int part_ = -1;  // descriptors
  int journal_ = -1;
  std::string buffer_;  // of the current block
  std::vector<DoneBlock> done_;
  std::size_t skipped_ = 0;  // of done_
  bool committed_ = false;
};

}  // namespace attend::app
