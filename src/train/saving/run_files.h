#pragma once
#include <filesystem>

namespace attend::train {

/// The files of a run. Snapshots are in `folder` as well.
///
/// A process may be killed between any two system calls, and the next one must continue as if
/// nothing had happened. The state is the commit: what it does not record never happened. A
/// validation therefore writes, in this order,
///   best      weights better than all before; the state that records their score comes last, so a
///             run killed in between validates again, finds the same score and writes the same
///             file;
///   snapshot  likewise; a resumed run removes snapshots of updates after the state's;
///   history   lines, flushed to the disk before the state that counts them; a resumed run cuts off
///             lines that the state does not count;
///   state     by renaming; the old one becomes previous.state, which a run resumes from if the new
///             one turns out damaged;
///   last      a copy of the weights in the state, for translating. It comes after the state, so
///             that weights without a state never come from a run: they are an average or a user's
///             file, which training must not delete.
struct RunFiles {
  std::filesystem::path folder;
  std::filesystem::path best;     ///< weights of the best validation
  std::filesystem::path last;     ///< current weights as a validation would use them
  std::filesystem::path state;    ///< everything needed to resume
  std::filesystem::path history;  ///< train.jsonl
};

}  // namespace attend::train
