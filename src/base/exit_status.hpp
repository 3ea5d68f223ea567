// The exit status of every program, which scripts may rely on. docs/commands.md explains it.
#pragma once

namespace rondo {

enum ExitStatus : int {
  kSuccess = 0,
  kWrongResult = 1,
  kWrongUse = 2,
  kCannotStart = 3,
  kRunFailed = 4,
};

/// What --help and the manual pages say about it.
inline constexpr const char* kExitStatusHelp =
    "Exit status:\n"
    "  0    success\n"
    "  1    a check failed: wrong bytes, or a wrong result\n"
    "  2    wrong use: an option, a setting, or a file that cannot be used\n"
    "  3    a program could not be started, or its launcher failed\n"
    "  4    the run failed: an error of MPI, of memory or of the system\n"
    "  130  interrupted from the keyboard\n";

}  // namespace rondo
