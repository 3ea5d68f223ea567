#include <stdlib.h>
#include <string.h>

#include "rondo_f08.h"

static size_t element_count(const CFI_cdesc_t* array) {
  size_t count = 1;
  for (int i = 0; i < array->rank; ++i) count *= (size_t)array->dim[i].extent;
  return count;
}

/* Whether the elements lie one after another. The last extent of an assumed-size array is -1; such
 * an array is contiguous by definition. */
int rondo_f08_is_contiguous(const CFI_cdesc_t* array) {
  CFI_index_t next = (CFI_index_t)array->elem_len;
  for (int i = 0; i < array->rank; ++i)
    if (array->dim[i].extent == 0) return 1;
  for (int i = 0; i < array->rank; ++i) {
    const CFI_dim_t dim = array->dim[i];
    if (dim.extent < 0) return 1;
    if (dim.extent > 1 && dim.sm != next) return 0;
    next *= dim.extent;
  }
  return 1;
}

enum direction { gather, scatter };

/* Copies the elements of `array`, in Fortran's order, to `packed` or back. */
static void copy_elements(const CFI_cdesc_t* array, char* packed, enum direction direction) {
  CFI_index_t index[CFI_MAX_RANK] = {0};
  char* element = array->base_addr;
  for (size_t left = element_count(array); left > 0; --left) {
    memcpy(direction == gather ? packed : element, direction == gather ? element : packed,
           array->elem_len);
    packed += array->elem_len;
    for (int i = 0; i < array->rank; ++i) {
      element += array->dim[i].sm;
      if (++index[i] < array->dim[i].extent) break;
      element -= array->dim[i].extent * array->dim[i].sm;
      index[i] = 0;
    }
  }
}

int rondo_f08_open(rondo_f08_buffer* buffer, const CFI_cdesc_t* actual, rondo_f08_special special) {
  *buffer = (rondo_f08_buffer){.address = actual->base_addr};
  if (actual->base_addr == special.in_place) {
    buffer->address = MPI_IN_PLACE;
  } else if (actual->base_addr == special.bottom) {
    buffer->address = MPI_BOTTOM;
  } else if (!rondo_f08_is_contiguous(actual)) {
    buffer->address = malloc(element_count(actual) * actual->elem_len);
    if (buffer->address == NULL) return MPI_ERR_NO_MEM;
    buffer->copied = actual;
    copy_elements(actual, buffer->address, gather);
  }
  return MPI_SUCCESS;
}

void rondo_f08_close(rondo_f08_buffer* buffer, int received) {
  if (buffer->copied == NULL) return;
  if (received) copy_elements(buffer->copied, buffer->address, scatter);
  free(buffer->address);
}
