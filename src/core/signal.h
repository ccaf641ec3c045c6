#pragma once
#include <cstdint>
#include <string>

namespace attend {

/// Makes SIGINT, SIGTERM and SIGHUP (the terminal is gone) ask for a stop instead of ending the
/// process; a second one ends it at once with 128+N, unless it comes within half a second (a script
/// passed on what its group got, too) or is SIGHUP, which shells and service managers send after or
/// besides another. One that the caller ignores stays ignored: SIGHUP under
/// nohup, SIGINT in a script's background job, whose Ctrl-C is not meant for it. SIGPIPE and
/// SIGXFSZ are ignored, so that a closed pipe and a file beyond the limit of `ulimit -f` show as
/// write errors.
void install_signal_handlers();
/// The same, with a clock in milliseconds that only goes forward (for tests).
void install_signal_handlers(int64_t (*milliseconds)());

/// The signal that asked for a stop, or 0. Checked by long-running loops between two pieces of
/// work.
[[nodiscard]] int requested_stop();

/// Throws Stopped, with this message, if a stop was requested.
void stop_if_requested(const std::string& message);

/// Forgets a requested stop (for tests).
void clear_requested_stop();

}  // namespace attend
