// esker._mpi: converts an MPI communicator to an esker::Communicator.
//
// A process can use only one MPI library. Importing this module therefore compares three: the MPI of the
// mpi.h it was compiled with, the library it is linked with at run time, and the library of mpi4py, whose
// communicators it receives.
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

/// The first line of a version text; some libraries append their build options.
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

/// Throws if the three MPIs differ, which becomes an ImportError. If two MPIs are loaded, a call may reach
/// either one, so the version that our library reports is not sufficient.
void check_one_mpi() {
  const std::string theirs = mpi4py_library_version(), ours = library_version();
  const std::string what_to_do = "; rebuild one of the two so that both use the same MPI library";
  if (theirs.starts_with("Open MPI") != kCompiledForOpenMpi) {
    throw std::runtime_error("esker was built for " + std::string(kCompiledFor) + ", but mpi4py uses '" +
                             theirs + "'" + what_to_do);
  }
  if (ours != theirs) {
    throw std::runtime_error("esker uses '" + ours + "', but mpi4py uses '" + theirs + "'" + what_to_do);
  }
}

esker::Communicator communicator(int fortran_handle) {
  const nb::gil_scoped_release release;
  int initialized = 0, finalized = 0, is_inter = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (!initialized || finalized)
    throw esker::Error(Code::kWrongOrder, "MPI is not initialized, or already finalized");
  const MPI_Comm comm = MPI_Comm_f2c(fortran_handle);
  if (comm == MPI_COMM_NULL) throw esker::Error(Code::kInvalidArgument, "comm is MPI_COMM_NULL on this rank");
  MPI_Comm_test_inter(comm, &is_inter);
  if (is_inter)
    throw esker::Error(Code::kInvalidArgument,
                       "comm: expected an intracommunicator, found an intercommunicator");
  return esker::mpi_communicator(comm);
}

}  // namespace

NB_MODULE(_mpi, m) {
  check_one_mpi();
  nb::module_::import_("esker._core");  // defines the class Communicator
  nb::register_exception_translator(&esker::python::translate_error);
  m.def("communicator", &communicator, "fortran_handle"_a,
        "Duplicates the communicator with this Fortran handle. Collective over it.");
  m.def("library_version", &library_version, "Name and version of the MPI library in use.");
}
