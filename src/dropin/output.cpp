#include "dropin/output.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace rondo::dropin {

namespace {

/// Reads until the program closes its end of the pipe.
std::string read_all(int end) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t bytes = read(end, buffer, sizeof buffer);
    if (bytes > 0)
      text.append(buffer, static_cast<std::size_t>(bytes));
    else if (bytes == 0 || errno != EINTR)
      return text;
  }
}

/// Returns why the program did not succeed. The text is empty if it did, or if its status was
/// collected elsewhere: a program may ignore SIGCHLD or wait for every child.
std::string wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return {};
  if (WIFSIGNALED(status)) return text("ended by signal ", WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? std::string() : text("exit status ", WEXITSTATUS(status));
}

}  // namespace

Output output_of(const std::vector<std::string>& command, char* const* environment, int input) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {.text = {}, .failure = std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // The order matters: if this process has closed its standard streams, `input` may be 1, but
  // ends[1] is never 0.
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Output output;
  if (error == 0) {
    output.text = read_all(ends[0]);
    output.failure = wait_for(child);
  } else {
    output.failure = std::strerror(error);
  }
  close(ends[0]);
  return output;
}

}  // namespace rondo::dropin
