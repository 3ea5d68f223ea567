#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C"
#endif
    size_t
    transport_bytes_in_c(void);
