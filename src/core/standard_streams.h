#pragma once

namespace attend {

/// Opens a placeholder for each standard stream that the caller closed. Otherwise the next file
/// opened would get its descriptor, and output meant for the stream would go into that file.
/// Reading or writing such a stream still fails. Call this before opening any file.
void occupy_closed_standard_streams();

/// Claims standard input for one reader. Throws UsageError if it is already claimed: each of two
/// readers would get only a part.
void take_standard_input();

/// Releases the claim on standard input, for the next command line in the same process (tests).
void release_standard_input();

}  // namespace attend
