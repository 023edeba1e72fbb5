# What generates the Fortran module: sets ESKER_FYPP, a command, and ESKER_HAVE_FORTRAN_SOURCE.
#
# fypp is looked for in the project's .venv, in PATH, and as a module of Python. Without it the module comes from
# fortran/esker.f90, which release archives hold. ESKER_FYPP=OFF: as if there were none.
find_program(ESKER_FYPP fypp HINTS ${PROJECT_SOURCE_DIR}/.venv/bin DOC "fypp, which generates the Fortran module")
if(ESKER_FYPP STREQUAL "ESKER_FYPP-NOTFOUND")
  find_package(Python3 QUIET COMPONENTS Interpreter)
  execute_process(COMMAND ${Python3_EXECUTABLE} -m fypp --version RESULT_VARIABLE esker_fypp_status OUTPUT_QUIET ERROR_QUIET)
  if(Python3_FOUND AND esker_fypp_status EQUAL 0)
    set(ESKER_FYPP ${Python3_EXECUTABLE} -m fypp)
  endif()
endif()

set(ESKER_HAVE_FORTRAN_SOURCE OFF)
if(ESKER_FYPP OR EXISTS ${PROJECT_SOURCE_DIR}/fortran/esker.f90)
  set(ESKER_HAVE_FORTRAN_SOURCE ON)
else()
  message(STATUS "Esker: no Fortran module, because there is no fypp (pip install fypp); release archives need none")
endif()
