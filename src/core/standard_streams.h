#pragma once

namespace attend {

/// Takes the places of standard input, output and error where the caller closed them, so that no
/// file of ours is opened there and gets what belongs to them. Reading or writing such a stream
/// fails as before. Called before any file is opened.
void occupy_closed_standard_streams();

/// Claims standard input for one reader. Throws UsageError if it was claimed before: two readers
/// would each get a part of it.
void take_standard_input();

/// Lets standard input be taken again: a new command line, or a test, has one of its own.
void release_standard_input();

}  // namespace attend
