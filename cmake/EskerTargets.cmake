# One target per layer, and the flags that all of our code is compiled with.

add_library(esker_flags INTERFACE)
target_compile_options(esker_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                                             $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
# gcc 12 sees overlapping copies where std::string is appended to (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(esker_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(ESKER_WERROR)
  target_compile_options(esker_flags INTERFACE -Werror)
endif()
# The same for Fortran, whose compilers know other warnings.
add_library(esker_fortran_flags INTERFACE)
target_compile_options(esker_fortran_flags INTERFACE
  $<$<COMPILE_LANG_AND_ID:Fortran,GNU>:-std=f2018;-Wall;-Wextra;-pedantic;$<$<BOOL:${ESKER_WERROR}>:-Werror>>)
if(ESKER_SANITIZE)
  target_compile_options(esker_fortran_flags INTERFACE -fsanitize=${ESKER_SANITIZE})
  target_link_options(esker_fortran_flags INTERFACE -fsanitize=${ESKER_SANITIZE})
  target_compile_options(esker_flags INTERFACE -fsanitize=${ESKER_SANITIZE} -fno-omit-frame-pointer
                                               -fno-sanitize-recover=all)
  target_link_options(esker_flags INTERFACE -fsanitize=${ESKER_SANITIZE})
endif()

# What every layer sees of include/: the value types, and the version.
set(esker_types_root ${PROJECT_BINARY_DIR}/layers/public)
file(MAKE_DIRECTORY ${esker_types_root}/esker)
foreach(header types version.h)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/esker/${header} ${esker_types_root}/esker/${header} SYMBOLIC)
endforeach()

# esker_add_layer(NAME [FACADES] SOURCES a.cc ... LAYERS base ... LIBRARIES fmt::fmt ... HEADERS nlohmann_json::nlohmann_json ...)
#
# Declares the folder src/NAME as the object library esker_NAME. Its headers are included as
# "NAME/header.h" and can be seen only by layers that list NAME in LAYERS: each layer has a
# separate include root, which contains only a link to its folder, so a wrong dependency does not compile.
# FACADES: the layer implements the public classes and functions. It sees all of include/, not only
# include/esker/types.
# LIBRARIES are linked by the library esker; of HEADERS nothing is linked (Debian's toml++ would be a library).
function(esker_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "FACADES" "" "SOURCES;LAYERS;LIBRARIES;HEADERS")
  set(root ${PROJECT_BINARY_DIR}/layers/${name})
  get_filename_component(parent ${root}/${name} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${name} SYMBOLIC)

  string(REPLACE "/" "_" target esker_${name})
  add_library(${target} OBJECT ${layer_SOURCES})
  set(public_root ${esker_types_root})
  if(layer_FACADES)
    set(public_root ${PROJECT_SOURCE_DIR}/include)
  endif()
  target_include_directories(${target} PUBLIC ${public_root} ${root})
  target_link_libraries(${target} PUBLIC ${layer_LIBRARIES} PRIVATE esker_flags)
  foreach(below IN LISTS layer_LAYERS)
    string(REPLACE "/" "_" below esker_${below})
    target_link_libraries(${target} PRIVATE ${below})
  endforeach()
  foreach(library IN LISTS layer_HEADERS)
    get_target_property(directories ${library} INTERFACE_INCLUDE_DIRECTORIES)
    target_include_directories(${target} SYSTEM PUBLIC ${directories})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY ESKER_LAYERS ${target})
  set_property(GLOBAL APPEND PROPERTY ESKER_LIBRARIES ${layer_LIBRARIES})
endfunction()

# Before 1.0 a minor version may change the binary interface, so it is part of the name that programs look for.
# A library finds its siblings in its own directory, also after the installation is moved, and fmt, zfp ... where
# they were.
function(esker_version_library target)
  set_target_properties(${target} PROPERTIES
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH $ORIGIN
    INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()
