// Rondo's settings, looked at before the program starts.
#pragma once

namespace rondo::interpose {

/// What MPI would say at the program's first exchange, and end it, is thrown here as CannotStart or
/// Error. Only on rank 0, since it reads the settings of most communicators, and if Rondo is not
/// switched off.
void check_settings();

}  // namespace rondo::interpose
