// What the system says of another process of this node. No MPI.
#pragma once

#include <cstdint>

namespace rondo::watch {

enum class Activity { runs, sleeps, stopped, ended };

/// One that has ended may not have been waited for yet.
Activity activity_of(std::int64_t process);

}  // namespace rondo::watch
