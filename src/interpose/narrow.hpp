// MPI-4's forms with large counts, where the MPI library is older: a program that asks whether they
// are there finds ours, so they must do what they say.
#pragma once

#include "interpose/part.hpp"

namespace rondo::interpose {

/// What carries out MPI_Alltoall_c, MPI_Alltoallv_c or MPI_Alltoallw_c by the form with int counts;
/// null for other calls. Numbers that no int holds are an MPI_ERR_COUNT.
Function narrow_form(Call call);

}  // namespace rondo::interpose
