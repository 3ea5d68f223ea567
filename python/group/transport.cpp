#include "group/transport.hpp"

#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "objects/lock.hpp"

namespace rondo::python {

namespace {

constexpr int kDone = 0;
constexpr int kRaised = 1;

using Clock = std::chrono::steady_clock;

/// Between two questions about a message. Meanwhile Python's other threads run, of which one may complete it.
constexpr auto kPause = std::chrono::microseconds(50);

/// What a function of Python has returned for a message.
struct Message {
  nb::object object;
  Clock::time_point next_question{};
};

Transport& of(void* context) {
  return *static_cast<Transport*>(context);
}

/// A view of memory, until its message is complete. Libraries such as PyTorch want one that they could write.
nb::object view_of(void* data, std::size_t bytes) {
  nb::object view = nb::steal(PyMemoryView_FromMemory(static_cast<char*>(data),
                                                      static_cast<Py_ssize_t>(bytes), PyBUF_WRITE));
  if (!view.is_valid()) throw nb::python_error();
  return view;
}

[[noreturn]] void throw_wrong(const std::string& what) {
  PyErr_SetString(PyExc_ValueError, what.c_str());
  throw nb::python_error();
}

/// Copies what `allgather` has returned: the bytes of each rank.
void copy_gathered(const nb::object& gathered, int ranks, std::size_t bytes, std::byte* to) {
  const auto count = nb::len(gathered);
  if (count != static_cast<std::size_t>(ranks))
    throw_wrong("allgather returned " + std::to_string(count) + " items for " +
                std::to_string(ranks) + " ranks");
  for (const nb::handle item : gathered) {
    const View view(item, false);
    if (!view.is_there() || view.bytes() != bytes)
      throw_wrong("allgather returned an item that has not the " + std::to_string(bytes) +
                  " bytes that every rank gave");
    std::memcpy(to, reinterpret_cast<const void*>(view.address()), bytes);
    to += bytes;
  }
}

}  // namespace

Transport::Transport(int rank, int size, nb::object allgather, nb::object messages,
                     std::optional<std::string> node, double timeout_seconds)
    : rank_(rank),
      size_(size),
      allgather_(std::move(allgather)),
      messages_(std::move(messages)),
      node_(std::move(node)),
      timeout_seconds_(timeout_seconds) {}

Rondo_Transport Transport::functions() {
  const bool has_messages = !messages_.is_none();
  return {.struct_bytes = sizeof(Rondo_Transport),
          .rank = rank_,
          .size = size_,
          .context = this,
          .allgather = &gather,
          .send = has_messages ? &send : nullptr,
          .receive = has_messages ? &receive : nullptr,
          .test = has_messages ? &test : nullptr,
          .cancel = has_messages ? &cancel : nullptr,
          .node = node_ ? node_->c_str() : nullptr,
          .timeout_seconds = timeout_seconds_,
          .interrupted = &interrupted};
}

void Transport::rethrow() {
  if (auto raised = std::exchange(raised_, std::nullopt)) throw nb::python_error(*raised);
}

template <class Body>
int Transport::guarded(Body&& body) noexcept {
  const WithLock python;
  try {
    run_or_stay(body);
    return kDone;
  } catch (nb::python_error& error) {
    if (!raised_) raised_.emplace(std::move(error));
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    if (!raised_) raised_.emplace();
    PyErr_Clear();
  }
  return kRaised;
}

int Transport::gather(void* context, const void* own, void* all, std::size_t bytes) {
  Transport& here = of(context);
  return here.guarded([&] {
    const nb::object gathered = here.allgather_(nb::bytes(own, bytes));
    copy_gathered(gathered, here.size_, bytes, static_cast<std::byte*>(all));
  });
}

int Transport::send(void* context, const void* data, std::size_t bytes, int destination, int tag,
                    void** request) {
  Transport& here = of(context);
  return here.guarded([&] {
    *request = new Message{
        here.messages_.attr("send")(view_of(const_cast<void*>(data), bytes), destination, tag)};
  });
}

int Transport::receive(void* context, void* data, std::size_t bytes, int source, int tag,
                       void** request) {
  Transport& here = of(context);
  return here.guarded([&] {
    *request = new Message{here.messages_.attr("receive")(view_of(data, bytes), source, tag)};
  });
}

int Transport::test(void* context, void* request, int* is_complete) {
  Transport& here = of(context);
  auto& message = *static_cast<Message*>(request);
  *is_complete = 0;
  if (Clock::now() < message.next_question) {
    std::this_thread::sleep_until(message.next_question);
    return kDone;
  }
  return here.guarded([&] {
    if (nb::cast<bool>(here.messages_.attr("test")(message.object))) {
      delete &message;
      *is_complete = 1;
    } else {
      message.next_question = Clock::now() + kPause;
    }
  });
}

void Transport::cancel(void* context, void* request) {
  Transport& here = of(context);
  static_cast<void>(here.guarded([&] {
    const std::unique_ptr<Message> message(static_cast<Message*>(request));
    here.messages_.attr("cancel")(message->object);
  }));
}

/// Python's handlers of signals run only when they are asked for, and only on the main thread. That of Ctrl-C raises.
int Transport::interrupted(void* context) {
  return of(context).guarded([] {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  });
}

}  // namespace rondo::python
