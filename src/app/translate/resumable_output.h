#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/lines/line_shard.h"
#include "app/translate/translate_lines.h"
#include "core/file_lock.h"

namespace attend::app {

/// Output of a translation that can be resumed or is one of several shards.
struct ResumableChoices {
  std::filesystem::path output;  ///< a file, which appears only when it is complete
  bool moses = false;            ///< as OutputChoices
  LineShard shard;
  bool to_merge = false;  ///< write OUTPUT.shard, which merge_shards() needs
  bool resume = false;    ///< continue an earlier process; keep finished blocks when stopped
  /// The models and options that decide the translations, by name. A resumed translation needs the
  /// same key.
  nlohmann::json key;
};

/// A translated block of lines.
struct DoneBlock {
  InputBlock input;
  int64_t bytes = 0;      ///< size of the output up to its end
  uint64_t checksum = 0;  ///< CRC-32 of these bytes
};

/// Writes translations block by block to OUTPUT.part. Each block is on the disk before its line is
/// added to OUTPUT.journal, so every block in the journal is complete. A resumed process cuts off
/// what a killed one wrote after the last block in the journal. At the end, OUTPUT.part is renamed
/// to OUTPUT and the journal removed. OUTPUT.lock excludes other processes.
class ResumableOutput final : public TranslationSink {
 public:
  /// Opens or creates the files. Throws UsageError if OUTPUT is not a regular file, if the journal
  /// has another key, or if it has finished blocks and `resume` is false; DataError if the files
  /// cannot be used or are not from an earlier translation to OUTPUT.
  explicit ResumableOutput(ResumableChoices choices);
  /// Removes unfinished files unless `resume` is set.
  ~ResumableOutput() override;
  ResumableOutput(const ResumableOutput&) = delete;
  ResumableOutput& operator=(const ResumableOutput&) = delete;

  /// Number of blocks of the shard that need not be translated again.
  [[nodiscard]] int64_t blocks_done() const { return static_cast<int64_t>(done_.size()); }

  void add(const TranslatedLine& line) override;
  void end_block(const InputBlock& block) override;
  /// Throws DataError if the block differs from the journal.
  void skip_block(const InputBlock& block) override;

  /// Renames the finished file to OUTPUT. `count`: the result of translate_lines().
  void commit(const TranslatedCount& count);

 private:
  void load_journal();
  void refuse_to_lose_blocks() const;
  void start_journal();
  void check_key(const nlohmann::json& before) const;
  [[nodiscard]] std::vector<DoneBlock> sound_blocks(const std::string& lines,
                                                    std::size_t& end) const;
  [[nodiscard]] nlohmann::json manifest(const TranslatedCount& count) const;
  [[nodiscard]] std::filesystem::path beside(const char* ending) const;

  ResumableChoices choices_;
  FileLock lock_;
  int part_ = -1;  // descriptors
  int journal_ = -1;
  std::string buffer_;  // of the current block
  std::vector<DoneBlock> done_;
  std::size_t skipped_ = 0;  // number of blocks of done_ that were skipped
  bool committed_ = false;
};

}  // namespace attend::app
