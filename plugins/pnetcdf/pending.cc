// Functions of pending transfers and the attached buffer.
#include "interface.h"
#include "open_file.h"

using namespace esker::pnetcdf;

int ncmpi_wait(int ncid, int count, int* requests, int* statuses) {
  return with_file(ncid, [&](OpenFile& file) { return wait(file, false, count, requests, statuses); });
}

int ncmpi_wait_all(int ncid, int count, int* requests, int* statuses) {
  return with_file(ncid, [&](OpenFile& file) { return wait(file, true, count, requests, statuses); });
}

int ncmpi_cancel(int ncid, int num, int* reqs, int* statuses) {
  return with_file(ncid, [&](OpenFile& file) { return cancel(file, num, reqs, statuses); });
}

int ncmpi_inq_nreqs(int ncid, int* nreqs) {
  return with_file(ncid, [&](OpenFile& file) {
    give(nreqs, file.requests.puts.size() + file.requests.gets.size());
    return NC_NOERR;
  });
}

int ncmpi_buffer_attach(int ncid, MPI_Offset bufsize) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    if (bufsize <= 0) return NC_ENULLBUF;
    if (file.buffer.is_attached()) return NC_EPREVATTACHBUF;
    file.buffer.attach(bufsize);
    return NC_NOERR;
  });
}

int ncmpi_buffer_detach(int ncid) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    if (!file.buffer.is_attached()) return NC_ENULLABUF;
    for (const Request& request : file.requests.puts) {
      if (request.part_of_buffer >= 0) return NC_EPENDINGBPUT;
    }
    file.buffer.detach();
    return NC_NOERR;
  });
}

int ncmpi_inq_buffer_usage(int ncid, MPI_Offset* usage) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    if (usage == nullptr) return NC_NOERR;
    if (!file.buffer.is_attached()) return NC_ENULLABUF;
    *usage = file.buffer.used_bytes();
    return NC_NOERR;
  });
}

int ncmpi_inq_buffer_size(int ncid, MPI_Offset* buf_size) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    if (buf_size == nullptr) return NC_NOERR;
    if (!file.buffer.is_attached()) return NC_ENULLABUF;
    *buf_size = file.buffer.size_bytes();
    return NC_NOERR;
  });
}
