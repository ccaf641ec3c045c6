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

/// Ends the process once its streams are written, without destroying static objects: that takes
/// LibTorch a twentieth of a second, in every command. With a sanitizer, which looks for leaks at
/// the end, destroys them.
[[noreturn]] void end_process(int exit_code);

}  // namespace attend
