# What `cmake --install` installs: libraries, headers, licence, the Fortran module, the CMake package `esker` (components
# MPI and Fortran), the pkg-config files and the environment module. None of them holds a path, so that the installation can be moved.
# docs/guide/install.md is for users.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/esker)
install(TARGETS esker EXPORT eskerTargets)
install(EXPORT eskerTargets NAMESPACE esker:: DESTINATION ${package_dir})
if(ESKER_HAVE_MPI)
  install(TARGETS esker_mpi esker_mpi_headers EXPORT eskerMPITargets)
  install(EXPORT eskerMPITargets NAMESPACE esker:: DESTINATION ${package_dir})
else()
  set(without_mpi_headers PATTERN "*mpi.h*" EXCLUDE)
endif()

install(DIRECTORY include/esker DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${without_mpi_headers})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# As source: its users compile it with the compiler of their program. Esker itself needs no Fortran for that.
set(fortran_dir ${CMAKE_INSTALL_DATADIR}/esker/fortran)
if(ESKER_HAVE_FORTRAN_SOURCE)
  install(FILES ${PROJECT_BINARY_DIR}/fortran/esker.f90 DESTINATION ${fortran_dir} COMPONENT fortran)
endif()
install(FILES cmake/EskerFortran.cmake DESTINATION ${package_dir})

set(esker_shared OFF)
if(BUILD_SHARED_LIBS)
  set(esker_shared ON)
endif()
configure_package_config_file(cmake/eskerConfig.cmake.in eskerConfig.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS fortran_dir NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(eskerConfigVersion.cmake COMPATIBILITY SameMinorVersion)  # as the shared library's name
install(FILES ${PROJECT_BINARY_DIR}/eskerConfig.cmake ${PROJECT_BINARY_DIR}/eskerConfigVersion.cmake
  DESTINATION ${package_dir})

# With a static library all that it needs is public: `pkg-config --libs esker` is then right without --static, too.
# zfp has no pkg-config file.
if(NOT BUILD_SHARED_LIBS)
  string(STRIP "fmt liblz4 libzstd libxxhash libisal blosc zlib ${ESKER_HDF5_NAME}" pc_requires)
  get_target_property(zfp_library zfp::zfp LOCATION)
  cmake_path(GET zfp_library PARENT_PATH zfp_directory)
  set(pc_libs "-lzfp -lstdc++ -lm -pthread")
  if(NOT zfp_directory IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    string(PREPEND pc_libs "-L${zfp_directory} ")
  endif()
endif()
file(RELATIVE_PATH pc_to_prefix /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
set(pc_files esker.pc)
if(ESKER_HAVE_MPI)
  list(APPEND pc_files esker-mpi.pc)
endif()
foreach(file IN LISTS pc_files)
  configure_file(cmake/${file}.in ${file} @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

configure_file(packaging/modulefiles/esker modulefile @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/modulefile DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/esker RENAME ${PROJECT_VERSION})
