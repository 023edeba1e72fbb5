// esker._mpi: makes an esker::Communicator of an MPI communicator, and does nothing else.
//
// Two MPIs in one process do not mix, so importing it compares three: the MPI whose mpi.h it was compiled
// with, the one that it is linked to here, and the one of mpi4py, whose communicators it is for.
#include "esker/mpi.hpp"

#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <stdexcept>
#include <string>

#include "errors.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using esker::Code;

#ifdef OMPI_MAJOR_VERSION
constexpr bool kCompiledForOpenMpi = true;
constexpr const char* kCompiledFor = "Open MPI";
#else
constexpr bool kCompiledForOpenMpi = false;
constexpr const char* kCompiledFor = "MPICH";
#endif

/// The first line, as some go on with how they were built.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find_first_of(std::string("\n\0", 2)));
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return first_line(text.data());
}

std::string mpi4py_library_version() {
  const nb::object mpi = nb::module_::import_("mpi4py.MPI");
  return first_line(nb::cast<std::string>(mpi.attr("Get_library_version")()));
}

/// Throws what becomes the ImportError. Where two MPIs are loaded, calls may reach either, so what ours says
/// of itself is not enough.
void check_one_mpi() {
  const std::string theirs = mpi4py_library_version(), ours = library_version();
  const std::string what_to_do = "; a program has one MPI: build one of the two for the MPI of the other";
  if (theirs.starts_with("Open MPI") != kCompiledForOpenMpi) {
    throw std::runtime_error("esker was built for " + std::string(kCompiledFor) + ", mpi4py uses '" + theirs +
                             "'" + what_to_do);
  }
  if (ours != theirs) {
    throw std::runtime_error("esker uses '" + ours + "', mpi4py '" + theirs + "'" + what_to_do);
  }
}

esker::Communicator communicator(int fortran_handle) {
  const nb::gil_scoped_release release;
  int initialized = 0, finalized = 0, is_inter = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (!initialized || finalized)
    throw esker::Error(Code::kWrongOrder, "MPI is not initialised, or finalised");
  const MPI_Comm comm = MPI_Comm_f2c(fortran_handle);
  if (comm == MPI_COMM_NULL) throw esker::Error(Code::kInvalidArgument, "comm is MPI_COMM_NULL on this rank");
  MPI_Comm_test_inter(comm, &is_inter);
  if (is_inter) throw esker::Error(Code::kInvalidArgument, "comm is an inter-communicator");
  return esker::mpi_communicator(comm);
}

}  // namespace

NB_MODULE(_mpi, m) {
  check_one_mpi();
  nb::module_::import_("esker._core");  // has the class Communicator
  nb::register_exception_translator(&esker::python::translate_error);
  m.def("communicator", &communicator, "fortran_handle"_a,
        "Duplicates the communicator that has this Fortran handle. Collective over it.");
  m.def("library_version", &library_version, "The MPI library in use, as it names itself.");
}
