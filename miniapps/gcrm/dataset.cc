#include "dataset.h"

#include "common/together.h"

namespace gcrm {
namespace {

esker_comm* make_comm(MPI_Comm comm) {
  esker_comm* made = nullptr;
  esker_comm_from_mpi(comm, &made);  // the first call that uses it returns an error again
  return made;
}

esker_status create(const std::string& path, const esker_comm* comm, const Options& options,
                    std::unique_ptr<esker_dataset, void (*)(esker_dataset*)>& out) {
  esker_dataset* made = nullptr;
  const esker_status status = esker_create(path.c_str(), comm, options.handle(), &made);
  out.reset(made);
  return status;
}

}  // namespace

Dataset::Dataset(MPI_Comm comm, const std::string& path, const Options& options)
    : comm_(make_comm(comm), esker_comm_free), handle_(nullptr, esker_free) {
  miniapp::agree(comm, comm_ ? "" : "no memory for a communicator");
  const esker_status status = create(path, comm_.get(), options, handle_);
  miniapp::agree(comm, handle_ ? "" : "no memory for a dataset");
  check_all(status);
}

void Dataset::check_all(esker_status status) {
  if (status != ESKER_OK) throw miniapp::AgreedError(esker_message(handle_.get()));
}

int Dataset::dim(const char* name, std::int64_t size) {
  int number = 0;
  esker_def_dim(handle_.get(), name, size, &number);
  return number;
}

int Dataset::grid(const char* name, std::initializer_list<int> dims) {
  int number = 0;
  esker_def_grid(handle_.get(), name, static_cast<int>(dims.size()), dims.begin(), &number);
  return number;
}

int Dataset::field(int grid, const std::string& name, esker_type type, int components, bool fixed) {
  int number = 0;
  esker_def_field(handle_.get(), grid, name.c_str(), type, components, fixed ? ESKER_FIXED : ESKER_EVERY_STEP,
                  &number);
  return number;
}

void Dataset::coords(int grid, int dim, const double* values, std::int64_t count) {
  esker_def_coords(handle_.get(), grid, dim, values, count);
}

void Dataset::attribute(const Object& of, const char* name, const std::string& text) {
  esker_put_att_text(handle_.get(), of.kind, of.number, name, text.c_str());
}

void Dataset::attribute(const Object& of, const char* name, std::int64_t value) {
  esker_put_att_int64(handle_.get(), of.kind, of.number, name, &value, 1);
}

void Dataset::attribute(const Object& of, const char* name, const std::vector<double>& values) {
  esker_put_att_double(handle_.get(), of.kind, of.number, name, values.data(),
                       static_cast<std::int64_t>(values.size()));
}

void Dataset::begin_step(double time) { esker_begin_step(handle_.get(), time); }

void Dataset::put(int field, esker_type type, std::initializer_list<std::int64_t> lo,
                  std::initializer_list<std::int64_t> extent, const void* data) {
  esker_put(handle_.get(), field, type, lo.begin(), extent.begin(), data);
}

void Dataset::end_step() { check_all(esker_end_step(handle_.get())); }

void Dataset::close() { check_all(esker_close(handle_.get())); }

std::string Dataset::report() {
  const char* text = nullptr;
  check_all(esker_report_text(handle_.get(), &text));
  return text ? text : "";
}

esker_step_report Dataset::last_step() {
  esker_step_report report{};
  esker_inq_last_step(handle_.get(), &report);
  return report;
}

}  // namespace gcrm
