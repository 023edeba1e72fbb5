// esker_comm: esker::Communicator.
#include "capi/handle.h"

extern "C" {

esker_status esker_comm_rank(const esker_comm* comm, int* rank) {
  if (!rank) return ESKER_INVALID_ARGUMENT;
  if (comm && !comm->group) return esker::capi::code_of(comm->failure);
  *rank = comm ? comm->group->rank() : 0;
  return ESKER_OK;
}

esker_status esker_comm_size(const esker_comm* comm, int* size) {
  if (!size) return ESKER_INVALID_ARGUMENT;
  if (comm && !comm->group) return esker::capi::code_of(comm->failure);
  *size = comm ? comm->group->size() : 1;
  return ESKER_OK;
}

void esker_comm_free(esker_comm* comm) { delete comm; }

}  // extern "C"
