# The Fortran module from its source, in this build and in projects that find the package: module files are of the
# compiler that makes them, so each project compiles its own.

# esker_add_fortran_module(SOURCE): the target esker::esker_fortran. Programs with MPI also link esker::esker_mpi.
function(esker_add_fortran_module source)
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/esker_fortran_modules)
  add_library(esker_fortran STATIC EXCLUDE_FROM_ALL ${source})
  add_library(esker::esker_fortran ALIAS esker_fortran)
  set_target_properties(esker_fortran PROPERTIES Fortran_MODULE_DIRECTORY ${modules})
  target_include_directories(esker_fortran INTERFACE ${modules})
  target_link_libraries(esker_fortran PUBLIC esker::esker)
endfunction()
