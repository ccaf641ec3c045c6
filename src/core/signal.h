#pragma once

namespace attend {

/// Makes SIGINT and SIGTERM ask for a stop instead of ending the process; a second one ends it at
/// once with 128+N. SIGPIPE and SIGXFSZ are ignored, so that a closed pipe and a file beyond the
/// limit of `ulimit -f` show as write errors.
void install_signal_handlers();

/// The signal that asked for a stop, or 0. Checked by long-running loops between two pieces of
/// work.
[[nodiscard]] int requested_stop();

/// Forgets a requested stop (for tests).
void clear_requested_stop();

}  // namespace attend
