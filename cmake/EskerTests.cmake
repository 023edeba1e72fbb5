# `smoke` builds the programs of the MPI tests with that label, and no other.
if(NOT TARGET smoke)
  add_custom_target(smoke)
endif()

# What all that runs mpiexec has in its environment: no leak checks (both MPIs leak), and with MPICH ranks that wait
# politely (support/yielding_mpich.c).
set(esker_mpi_environment ASAN_OPTIONS=detect_leaks=0)
if(MPI_C_LIBRARIES MATCHES mpich)
  if(NOT TARGET yielding_mpich)
    add_library(yielding_mpich MODULE ${PROJECT_SOURCE_DIR}/tests/support/yielding_mpich.c)
    set_target_properties(yielding_mpich PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    add_dependencies(smoke yielding_mpich)
  endif()
  list(APPEND esker_mpi_environment LD_PRELOAD=$<TARGET_FILE:yielding_mpich>)
endif()

# esker_add_unit_test(NAME a_test.cc b_test.cc [SLOW_TESTS Suite.Test */Suite.Test/* ...]): one program per layer, one CTest
# test per TEST(). SLOW_TESTS: patterns of GoogleTest's names, of tests for `make check`.
function(esker_add_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SLOW_TESTS")
  add_executable(unit_${name} ${test_UNPARSED_ARGUMENTS})
  target_link_libraries(unit_${name} PRIVATE esker_test_support GTest::gtest_main)
  target_precompile_headers(unit_${name} REUSE_FROM esker_test_headers)
  list(JOIN test_SLOW_TESTS : slow)
  gtest_discover_tests(unit_${name} DISCOVERY_MODE PRE_TEST TEST_FILTER "-${slow}"
    TEST_PREFIX "${name}." PROPERTIES LABELS unit TIMEOUT 180)
  if(slow)
    gtest_discover_tests(unit_${name} DISCOVERY_MODE PRE_TEST TEST_FILTER "${slow}" TEST_LIST unit_${name}_slow_TESTS
      TEST_PREFIX "${name}." PROPERTIES LABELS slow TIMEOUT 180)  # CMake 3.25 takes one label here
  endif()
endfunction()

# esker_add_mpi_test(NAME SOURCES a_test.cc ... RANKS 1 4 [SLOW_RANKS 2 7] [LONG_RANKS 3] [SMOKE_RANKS 1 4] [TIMEOUT 60])
#
# A program of GoogleTest's, and its runs as below; it asserts that its world has the size that ESKER_TEST_RANKS
# says (two MPIs side by side otherwise run worlds of one and pass).
function(esker_add_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TIMEOUT" "SOURCES;RANKS;SLOW_RANKS;LONG_RANKS;SMOKE_RANKS")
  add_executable(mpi_${name} ${test_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cc)
  target_link_libraries(mpi_${name} PRIVATE esker_test_support esker_mpi)
  target_precompile_headers(mpi_${name} REUSE_FROM esker_test_headers)
  esker_add_mpi_runs(${name} PROGRAM mpi_${name} RANKS ${test_RANKS} SLOW_RANKS ${test_SLOW_RANKS}
    LONG_RANKS ${test_LONG_RANKS} SMOKE_RANKS ${test_SMOKE_RANKS} TIMEOUT ${test_TIMEOUT})
endfunction()

# esker_add_mpi_runs(NAME PROGRAM target [RANKS 1 4] [SLOW_RANKS 2 7] [LONG_RANKS 3] [SMOKE_RANKS 1 4] [TIMEOUT 60]
#                    [ARGUMENTS a ...] [ENVIRONMENT A=b ...])
#
# The program runs once per rank count under mpiexec, as test mpi.NAME.RANKS. `make test` has the runs of RANKS, `make
# check` those of SLOW_RANKS (label `slow`), and only `ctest -L long` those of LONG_RANKS. SMOKE_RANKS are some of both.
# One mpiexec runs at a time: with two at once, Open MPI now and then fails to launch (they share a session directory
# under /tmp). Ranks that wait take processor time from each other and from other tests, so PROCESSORS keeps those away;
# not from tests that launch many short runs, which have no PROCESSORS.
function(esker_add_mpi_runs name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "PROGRAM;TIMEOUT"
    "RANKS;SLOW_RANKS;LONG_RANKS;SMOKE_RANKS;ARGUMENTS;ENVIRONMENT")
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 120)
  endif()
  if(TARGET yielding_mpich)  # on a machine that does other things, too, yielding ranks come last
    math(EXPR test_TIMEOUT "5 * ${test_TIMEOUT}")
  endif()
  if(test_SMOKE_RANKS)
    add_dependencies(smoke ${test_PROGRAM})
  endif()
  foreach(ranks IN LISTS test_RANKS test_SLOW_RANKS test_LONG_RANKS)
    set(labels mpi)
    foreach(kind SMOKE SLOW LONG)
      if(ranks IN_LIST test_${kind}_RANKS)
        string(TOLOWER ${kind} label)
        list(APPEND labels ${label})
      endif()
    endforeach()
    add_test(NAME mpi.${name}.${ranks}
      COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS}
              $<TARGET_FILE:${test_PROGRAM}> ${test_ARGUMENTS})
    set_tests_properties(mpi.${name}.${ranks} PROPERTIES
      LABELS "${labels}" TIMEOUT ${test_TIMEOUT} PROCESSORS ${ranks}
      RESOURCE_LOCK mpiexec
      ENVIRONMENT "ESKER_TEST_RANKS=${ranks};${esker_mpi_environment};${test_ENVIRONMENT}")
  endforeach()
endfunction()

# esker_add_end_to_end(esker-pism COMMAND end_to_end.sh a ... [SMOKE] [ENVIRONMENT A=b ...])
#
# A script that runs a whole program on several numbers of ranks and compares the files, as two tests: smoke.esker-pism has
# a few of the runs, for `make test` (label `short`: the suites with the slow tests leave it out), end_to_end.esker-pism
# all (label `slow`, ESKER_TEST_ALL_RUNS=1). SMOKE: the first is also one of the tests with that label.
function(esker_add_end_to_end name)
  cmake_parse_arguments(PARSE_ARGV 1 test "SMOKE" "" "COMMAND;ENVIRONMENT")
  set(short_labels mpi short)
  if(test_SMOKE)
    list(APPEND short_labels smoke)
  endif()
  add_test(NAME smoke.${name} COMMAND ${test_COMMAND})
  set_tests_properties(smoke.${name} PROPERTIES LABELS "${short_labels}" TIMEOUT 300 RESOURCE_LOCK mpiexec
    ENVIRONMENT "${esker_mpi_environment};${test_ENVIRONMENT}")
  add_test(NAME end_to_end.${name} COMMAND ${test_COMMAND})
  set_tests_properties(end_to_end.${name} PROPERTIES LABELS "mpi;slow" TIMEOUT 600 RESOURCE_LOCK mpiexec
    ENVIRONMENT "ESKER_TEST_ALL_RUNS=1;${esker_mpi_environment};${test_ENVIRONMENT}")
endfunction()
