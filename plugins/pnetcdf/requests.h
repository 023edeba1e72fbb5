// Requests: the pending transfers of a rank in an open file, and how they are moved or forgotten.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "datatypes.h"
#include "mirror.h"
#include "shared_cdf/shared_file.h"

namespace esker::pnetcdf {

struct OpenFile;

struct Request {
  int number = 0;  ///< even: put; odd: get
  std::vector<cdf::Access> accesses;
  std::vector<std::byte> copy;  ///< values to put: converted, packed, or in the attached buffer
  UnpackLater unpack;           ///< after a get
  Mirror mirror;                ///< of the caller's memory, if it is that of a GPU
  Index bytes = 0;              ///< in the file
  int part_of_buffer = -1;
  bool is_selected = false;
  int* status = nullptr;  ///< the caller's, during a wait
};

struct Requests {
  std::vector<Request> puts, gets;  ///< in the order of their numbers
};

/// Numbers and keeps a request.
int keep(std::vector<Request>& list, int first_number, Request request);

/// ncmpi_wait() and, if `all`, ncmpi_wait_all(), which is collective. `n` may be NC_REQ_ALL ...
int wait(OpenFile& file, bool all, int n, int* numbers, int* statuses);
int cancel(OpenFile& file, int n, int* numbers, int* statuses);

}  // namespace esker::pnetcdf
