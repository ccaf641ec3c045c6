#pragma once
#include <cstdint>
#include <string>

namespace attend {

/// Makes SIGINT, SIGTERM and SIGHUP (terminal closed) request a stop instead of ending the process.
/// A second signal ends the process at once with 128+N. A second signal within half a second does
/// not count, because a script may forward a signal that its whole process group received; nor does
/// SIGHUP, which shells and service managers send in addition to another signal. Signals that the
/// caller ignores stay ignored: SIGHUP under nohup, SIGINT in a background job of a script. SIGPIPE
/// and SIGXFSZ are ignored, so that a closed pipe and a file beyond the limit of `ulimit -f` appear
/// as write errors.
void install_signal_handlers();
/// Like install_signal_handlers(), with a given monotonic clock in milliseconds (for tests).
void install_signal_handlers(int64_t (*milliseconds)());

/// The signal that requested a stop, or 0. Long-running loops call this between steps.
[[nodiscard]] int requested_stop();

/// Throws Stopped with `message` if a stop was requested.
void stop_if_requested(const std::string& message);

/// Forgets a requested stop (for tests).
void clear_requested_stop();

}  // namespace attend
