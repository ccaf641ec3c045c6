#pragma once

namespace attend {

/// Takes the places of standard input, output and error where the caller closed them, so that no
/// file of ours is opened there and gets what belongs to them. Reading or writing such a stream
/// fails as before. Called before any file is opened.
void occupy_closed_standard_streams();

}  // namespace attend
