#include "requests.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/guarded.h"
#include "comm/agree.h"
#include "open_file.h"

namespace esker::pnetcdf {
namespace {

Request* find_request(Requests& requests, int number) {
  std::vector<Request>& list = number % 2 == 0 ? requests.puts : requests.gets;
  const auto found =
      std::lower_bound(list.begin(), list.end(), number,
                       [](const Request& request, int wanted) { return request.number < wanted; });
  return found != list.end() && found->number == number ? &*found : nullptr;
}

void select_all(std::vector<Request>& list) {
  for (Request& request : list) request.is_selected = true;
}

/// Marks the requests that a call names, and sets their numbers to NC_REQ_NULL.
int select(Requests& requests, int n, int* numbers, int* statuses) {
  if (n == NC_REQ_ALL || n == NC_PUT_REQ_ALL) select_all(requests.puts);
  if (n == NC_REQ_ALL || n == NC_GET_REQ_ALL) select_all(requests.gets);
  int code = NC_NOERR;
  for (int i = 0; i < n; ++i) {
    if (statuses != nullptr) statuses[i] = NC_NOERR;
    if (numbers[i] == NC_REQ_NULL) continue;
    Request* request = numbers[i] < 0 ? nullptr : find_request(requests, numbers[i]);
    if (request == nullptr || request->is_selected) {
      if (statuses != nullptr) statuses[i] = NC_EINVAL_REQUEST;
      code = NC_EINVAL_REQUEST;
      continue;
    }
    request->is_selected = true;
    request->status = statuses == nullptr ? nullptr : statuses + i;
    numbers[i] = NC_REQ_NULL;
  }
  return code;
}

bool has_selected(const std::vector<Request>& list) {
  return std::any_of(list.begin(), list.end(), [](const Request& request) { return request.is_selected; });
}

void forget_selected(OpenFile& file, std::vector<Request>& list) {
  for (const Request& request : list) {
    if (request.is_selected && request.part_of_buffer >= 0) file.buffer.free(request.part_of_buffer);
  }
  std::erase_if(list, [](const Request& request) { return request.is_selected; });
}

/// Gives each request its result: that of the transfer, or whether its values were in range. Returns the
/// first error.
int finish(std::vector<Request>& list, int code, const std::vector<cdf::Access>& moved) {
  std::size_t next = 0;
  int first = code;
  for (Request& request : list) {
    if (!request.is_selected) continue;
    int own = code;
    for (std::size_t i = 0; i < request.accesses.size(); ++i) {
      if (next < moved.size() && moved[next++].is_out_of_range && own == NC_NOERR) own = NC_ERANGE;
    }
    if (code == NC_NOERR && request.unpack.is_needed()) request.unpack.unpack();
    if (code == NC_NOERR && request.number % 2 == 1) {
      const int handed = hand_over(request.mirror);
      if (own == NC_NOERR) own = handed;
    }
    if (request.status != nullptr && *request.status == NC_NOERR) *request.status = own;
    if (first == NC_NOERR) first = own;
  }
  return first;
}

/// Moves the selected puts or gets in one transfer.
int move_selected(OpenFile& file, std::vector<Request>& list, bool in, bool all) {
  std::vector<cdf::Access> accesses;
  const Status local = esker::guarded("wait", [&] {
    std::size_t n = 0;
    for (const Request& request : list) n += request.is_selected ? request.accesses.size() : 0;
    accesses.reserve(n);
    for (Request& request : list) {
      if (!request.is_selected) continue;
      for (cdf::Access& access : request.accesses) accesses.push_back(std::move(access));
      (in ? file.put_bytes : file.get_bytes) += request.bytes;
    }
    return Status();
  });
  if (!all && !local.ok()) return code_of(local);
  const OpenFile::Moved moved = file.move(in, all, local, accesses);
  const int code = finish(list, code_of(moved.file), accesses);
  forget_selected(file, list);
  return code == NC_NOERR ? code_of(moved.dataset) : code;
}

}  // namespace

int keep(std::vector<Request>& list, int first_number, Request request) {
  request.number = list.empty() ? first_number : list.back().number + 2;
  list.push_back(std::move(request));
  return list.back().number;
}

int wait(OpenFile& file, bool all, int n, int* numbers, int* statuses) {
  if (const int code = file.check_moving(all); code != NC_NOERR) return code;
  if (!all && n == 0) return NC_NOERR;
  int code = n < NC_PUT_REQ_ALL ? static_cast<int>(NC_EINVAL) : select(file.requests, n, numbers, statuses);
  std::array<std::uint64_t, 2> any{has_selected(file.requests.puts), has_selected(file.requests.gets)};
  if (all) {
    const esker::Status opened =
        agree(*file.comm, Ballot{.status = {}, .operation = "wait_all", .most = any});
    if (!opened.ok()) return code_of(opened);
  }
  if (any[0] != 0) {
    const int moved = move_selected(file, file.requests.puts, true, all);
    if (code == NC_NOERR) code = moved;
  }
  if (any[1] != 0) {
    const int moved = move_selected(file, file.requests.gets, false, all);
    if (code == NC_NOERR) code = moved;
  }
  return code;
}

int cancel(OpenFile& file, int n, int* numbers, int* statuses) {
  if (n == 0) return NC_NOERR;
  if (n < NC_PUT_REQ_ALL) return NC_EINVAL;
  const int code = select(file.requests, n, numbers, statuses);
  forget_selected(file, file.requests.puts);
  forget_selected(file, file.requests.gets);
  return code;
}

}  // namespace esker::pnetcdf
