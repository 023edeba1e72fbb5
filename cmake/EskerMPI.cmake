# Finds the MPI that the preset names (MPI_EXECUTABLE_SUFFIX) and sets ESKER_HAVE_MPI.
#
# Component C: the library calls MPI's C interface only. The C++ bindings that old MPI headers drag in
# are switched off.
set(ESKER_HAVE_MPI OFF)
if(NOT ESKER_MPI STREQUAL "OFF")
  find_package(MPI COMPONENTS C)
  if(MPI_C_FOUND)
    set(ESKER_HAVE_MPI ON)
    add_library(esker_mpi_headers INTERFACE)
    target_link_libraries(esker_mpi_headers INTERFACE MPI::MPI_C)
    target_compile_definitions(esker_mpi_headers INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  elseif(ESKER_MPI STREQUAL "ON")
    message(FATAL_ERROR "ESKER_MPI is ON but no MPI was found. Install one (Debian: libopenmpi-dev or "
                        "libmpich-dev), name it by MPI_EXECUTABLE_SUFFIX, or set ESKER_MPI=OFF.")
  endif()
endif()
message(STATUS "Esker: MPI ${ESKER_HAVE_MPI} ${MPIEXEC_EXECUTABLE}")
