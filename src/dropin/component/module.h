// A module: the component on one communicator.
#pragma once

#include "ompi/mca/coll/coll.h"

/// Returns a new module; null if there is no memory.
mca_coll_base_module_t* rondo_new_module(void);
