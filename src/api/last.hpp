// What the exchanges of a thread ran.
#pragma once

namespace rondo::api {

/// The row of the registry that this thread's last exchange ran; -1 if it was left to the MPI
/// library without a choice: the first calls on a communicator, or on an inter-communicator.
int last_algorithm_index();

}  // namespace rondo::api
