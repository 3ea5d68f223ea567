/* The header is C. */
#include "header.h"

#include <rondo/transport.h>

size_t transport_bytes_in_c(void) {
  return sizeof(Rondo_Transport);
}
