#include "group/table.hpp"

#include <array>

#include "group/messages.hpp"

namespace rondo::group {

namespace {

/// What the functions of the transport return if all is well.
constexpr int kDone = 0;

/// Between two calls of the transport's `interrupted`.
constexpr auto kBetweenQuestions = std::chrono::milliseconds(100);

void check(int code, const char* function) {
  if (code != kDone)
    throw Error(ErrorClass::communicator,
                text("the transport's ", function, " has failed and returned ", code));
}

/// Checks the start of a message to or from a rank.
void check_started(int code, const void* request, const char* function, int rank) {
  if (code != kDone)
    throw Error(ErrorClass::communicator, text("the transport's ", function, " rank ", rank,
                                               " has failed and returned ", code));
  if (request == nullptr)
    throw Error(ErrorClass::communicator,
                text("the transport's ", function, " rank ", rank,
                     " has set no request, must set *request to anything but a null pointer"));
}

[[noreturn]] void throw_wrong(const std::string& what) {
  throw Error(ErrorClass::argument, what);
}

const Rondo_Transport& checked(const Rondo_Transport& functions) {
  if (functions.struct_bytes != sizeof functions)
    throw_wrong(text("the transport has struct_bytes = ", functions.struct_bytes,
                     ", must be sizeof(Rondo_Transport) = ", sizeof functions));
  if (functions.size < 1 || functions.rank < 0 || functions.rank >= functions.size)
    throw_wrong(text("the transport has rank ", functions.rank, " of ", functions.size,
                     ", must be a rank in 0 .. size-1"));
  if (functions.allgather == nullptr) throw_wrong("the transport has no allgather");
  const int given = (functions.send != nullptr) + (functions.receive != nullptr) +
                    (functions.test != nullptr) + (functions.cancel != nullptr);
  if (given != 0 && given != 4)
    throw_wrong(
        "the transport has some of send, receive, test and cancel, must have all of them or none");
  if (!(functions.timeout_seconds >= 0))
    throw_wrong(text("the transport has timeout_seconds = ", functions.timeout_seconds,
                     ", must be a number of seconds, or 0 for no limit"));
  return functions;
}

}  // namespace

Table::Table(const Rondo_Transport& functions)
    : transport::Transport(checked(functions).rank, functions.size), functions_(functions) {}

std::unique_ptr<transport::Messages> Table::messages(std::size_t /*longest_message*/,
                                                     const transport::Noted* /*noted*/) {
  return std::make_unique<TableMessages>(*this);
}

const std::byte* Table::gather(const void* own, std::size_t bytes) {
  gathered_.resize(bytes * static_cast<std::size_t>(ranks()));
  gather_into(own, gathered_);
  return gathered_.data();
}

void Table::gather_into(const void* own, std::span<std::byte> all) {
  const std::size_t bytes = all.size() / static_cast<std::size_t>(ranks());
  check(functions_.allgather(functions_.context, own, all.data(), bytes), "allgather");
}

void Table::send(Request& request, const Transfer& transfer, int tag) {
  void* started = nullptr;
  const int code = functions_.send(functions_.context, transfer.data, transfer.bytes, transfer.rank,
                                   tag, &started);
  check_started(code, started, "send to", transfer.rank);
  request.handle_ = started;
}

void Table::receive(Request& request, const Transfer& transfer, int tag) {
  void* started = nullptr;
  const int code = functions_.receive(functions_.context, transfer.data, transfer.bytes,
                                      transfer.rank, tag, &started);
  check_started(code, started, "receive from", transfer.rank);
  request.handle_ = started;
}

/// A request that has failed is cancelled with the others.
bool Table::is_complete(Request& request) {
  int is_complete = 0;
  check(functions_.test(functions_.context, request.handle_, &is_complete), "test");
  if (is_complete == 0) return false;
  request.handle_ = nullptr;
  waiter_.begin();
  return true;
}

void Table::cancel(Request& request) {
  if (request.handle_ != nullptr) functions_.cancel(functions_.context, request.handle_);
  request.handle_ = nullptr;
}

void Table::exchange_at_once(std::span<const Transfer> receives, std::span<const Transfer> sends,
                             int tag) {
  std::array<Request, 2 * kMostAtOnce> requests;
  std::size_t count = 0;
  try {
    for (const Transfer& one : receives) receive(requests[count++], one, tag);
    for (const Transfer& one : sends) send(requests[count++], one, tag);
    for (Request& request : std::span(requests).first(count))
      while (!is_complete(request)) pause();
  } catch (...) {
    for (Request& request : requests) cancel(request);
    throw;
  }
}

/// What is outstanding here may be what the rank needs for which this one waits.
void Table::progress() {
  for (TableMessages* const messages : all_) messages->advance();
  check_wait();
}

void Table::pause() {
  progress();
  waiter_.pause(false, [] {});
}

void Table::check_wait() {
  if (functions_.timeout_seconds == 0 && functions_.interrupted == nullptr) return;
  const Clock::time_point now = Clock::now();
  if (!since_) {
    since_ = now;
    next_question_ = now + kBetweenQuestions;
  }
  if (functions_.interrupted != nullptr && now >= next_question_) ask(now);
  if (functions_.timeout_seconds == 0 ||
      std::chrono::duration<double>(now - *since_).count() < functions_.timeout_seconds)
    return;
  throw Error(ErrorClass::communicator,
              text("rank ", rank(), " has waited for other ranks for ", functions_.timeout_seconds,
                   " seconds (timeout_seconds); one has died, or has not made the same call"));
}

void Table::ask(Clock::time_point now) {
  next_question_ = now + kBetweenQuestions;
  if (functions_.interrupted(functions_.context) == 0) return;
  throw Error(ErrorClass::communicator,
              text("rank ", rank(), " was interrupted while it waited for other ranks"));
}

}  // namespace rondo::group
