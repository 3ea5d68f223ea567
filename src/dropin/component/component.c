// Open MPI's view of the component `rondo` of its framework `coll`: what it is called, its parameters, and on
// which communicators it takes part.

#include "dropin/component/component.h"

#include <stdio.h>
#include <stdlib.h>

#include "dropin/component/module.h"
#include "ompi/communicator/communicator.h"
#include "ompi/mca/hook/base/base.h"

/// Above all modules of Open MPI that exchange: `self` has 75, and 100 is the most.
enum { DEFAULT_PRIORITY = 95 };

static int priority = DEFAULT_PRIORITY;

/// A setting of Rondo, as a parameter.
struct parameter {
  const char* name;
  const char* variable;  ///< the environment variable of Rondo
  const char* meaning;
  mca_base_var_type_t type;
  int64_t number;
  char* text;
  int index;
};

static struct parameter parameters[] = {
#define RONDO_TEXT_SETTING(field, variable, meaning) \
  {#field, variable, meaning, MCA_BASE_VAR_TYPE_STRING, 0, NULL, -1},
#define RONDO_NUMBER_SETTING(field, variable, least, value, most, meaning) \
  {#field, variable, meaning, MCA_BASE_VAR_TYPE_INT64_T, value, NULL, -1},
#include "registry/settings.def"
};
enum { PARAMETERS = sizeof parameters / sizeof parameters[0] };

static int register_parameters(void);
static int open_component(void);
static int close_component(void);
static int query(bool has_progress_threads, bool has_threads);
static mca_coll_base_module_t* query_comm(MPI_Comm comm, int* own_priority);

__attribute__((visibility("default"))) mca_coll_base_component_t mca_coll_rondo_component = {
    .collm_version = {RONDO_COLL_INTERFACE, .mca_component_name = "rondo",
                      MCA_BASE_MAKE_VERSION(component, RONDO_MAJOR, RONDO_MINOR, RONDO_PATCH),
                      .mca_open_component = open_component, .mca_close_component = close_component,
                      .mca_register_component_params = register_parameters},
    .collm_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .collm_init_query = query,
    .collm_comm_query = query_comm,
};

static ompi_hook_base_component_t hook = {.hookm_version = {.mca_component_name = "rondo"}};

static int register_one(const char* name, const char* meaning, mca_base_var_type_t type,
                        void* storage) {
  return mca_base_component_var_register(&mca_coll_rondo_component.collm_version, name, meaning,
                                         type, NULL, 0, 0, OPAL_INFO_LVL_5,
                                         MCA_BASE_VAR_SCOPE_READONLY, storage);
}

/// ompi_info calls this, too. An Open MPI of another version has other structs, so nothing more is done there.
/// Open MPI's debug builds have longer objects.
static int has_same_layout(void) {
  return OBJ_CLASS(mca_coll_base_module_t)->cls_sizeof == sizeof(mca_coll_base_module_t) &&
         OBJ_CLASS(ompi_communicator_t)->cls_sizeof == sizeof(ompi_communicator_t) &&
         OBJ_CLASS(ompi_request_t)->cls_sizeof == sizeof(ompi_request_t);
}

static int register_parameters(void) {
  if (!rondo_fits(RONDO_OMPI_MAJOR, RONDO_OMPI_MINOR, has_same_layout()))
    return OPAL_ERR_NOT_AVAILABLE;
  register_one("priority", "Priority of Rondo's exchanges; 0 = Rondo does not take part",
               MCA_BASE_VAR_TYPE_INT, &priority);
  for (struct parameter* one = parameters; one != parameters + PARAMETERS; ++one) {
    char meaning[1024];
    void* const storage = one->type == MCA_BASE_VAR_TYPE_STRING ? (void*)&one->text : &one->number;
    snprintf(meaning, sizeof meaning, "%s (as %s, which comes first)", one->meaning, one->variable);
    one->index = register_one(one->name, meaning, one->type, storage);
  }
  return OMPI_SUCCESS;
}

/// Sets the environment variable of a parameter that somebody has set, unless the variable is set already and not
/// empty. Rondo reads its settings there, and so does what it starts.
static int set_variable(const struct parameter* one) {
  mca_base_var_source_t source = MCA_BASE_VAR_SOURCE_DEFAULT;
  char number[32];
  if (one->index < 0) return 0;
  mca_base_var_get_value(one->index, NULL, &source, NULL);
  if (source == MCA_BASE_VAR_SOURCE_DEFAULT) return 0;
  snprintf(number, sizeof number, "%lld", (long long)one->number);
  const int is_text = one->type == MCA_BASE_VAR_TYPE_STRING;
  const char* const text = !is_text ? number : one->text != NULL ? one->text : "";
  const char* const before = getenv(one->variable);
  return setenv(one->variable, text, before != NULL && *before == '\0');
}

static int open_component(void) {
  if (priority <= 0 || !rondo_load_functions()) return OPAL_ERR_NOT_AVAILABLE;
  for (int i = 0; i < PARAMETERS; ++i)
    if (set_variable(&parameters[i]) != 0) return OPAL_ERR_OUT_OF_RESOURCE;
  hook.hookm_mpi_finalize_top = rondo_functions.finalize;
  return ompi_hook_base_register_callbacks(&hook);
}

static int close_component(void) {
  ompi_hook_base_deregister_callbacks(&hook);
  return OMPI_SUCCESS;
}

static int query(bool has_progress_threads, bool has_threads) {
  (void)has_progress_threads;
  (void)has_threads;
  return OMPI_SUCCESS;
}

static mca_coll_base_module_t* query_comm(MPI_Comm comm, int* own_priority) {
  *own_priority = priority;
  return OMPI_COMM_IS_INTER(comm) ? NULL : rondo_new_module();
}
