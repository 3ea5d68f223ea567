// A module: the component on one communicator. And which of Open MPI's interfaces of components there is: that of 5.0 or
// of 4.1. What Rondo uses is the same in both.
#pragma once

#include "ompi/mca/coll/coll.h"

#ifdef MCA_COLL_BASE_VERSION_2_4_0
#define RONDO_COLL_INTERFACE MCA_COLL_BASE_VERSION_2_4_0
#else
#define RONDO_COLL_INTERFACE MCA_COLL_BASE_VERSION_2_0_0
#endif

/// Returns a new module; null if there is no memory.
mca_coll_base_module_t* rondo_new_module(void);
