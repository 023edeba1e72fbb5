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

# Release builds optimize most sources for size, which takes less time and makes less code: figures in
# docs/internals/decisions/0045-most-code-is-small.md.
set(esker_small $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release,RelWithDebInfo>>:-Os>)
set(esker_fast $<$<CONFIG:Release,RelWithDebInfo>:-O3>)

# esker_add_headers(): the target esker_headers, whose precompiled headers all sources of layers have that are optimized for
# size: reading these headers was a quarter of compiling them. Builds without ESKER_UNITY have none, which shows missing
# includes. Kernels have none, because gcc 12 then warns about impossible lengths of std::string.
function(esker_add_headers)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/headers.cc CONTENT "" @ONLY)
  add_library(esker_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/headers.cc)
  target_compile_options(esker_headers PRIVATE ${esker_small})
  target_include_directories(esker_headers PRIVATE ${esker_types_root})
  target_link_libraries(esker_headers PRIVATE fmt::fmt esker_flags)
  target_precompile_headers(esker_headers PRIVATE <algorithm> <functional> <map> <memory> <optional> <span> <string>
    <vector> <fmt/format.h> <esker/types/schema.hpp>)
endfunction()

# esker_add_layer(NAME [FACADES] SOURCES a.cc ... KERNELS b.cc ... LAYERS base ... LIBRARIES fmt::fmt ...
#                 HEADERS nlohmann_json::nlohmann_json ...)
#
# Declares the folder src/NAME as the object library esker_NAME. Its headers are included as
# "NAME/header.h" and can be seen only by layers that list NAME in LAYERS: each layer has a
# separate include root, which contains only a link to its folder, so a wrong dependency does not compile.
# KERNELS: sources with loops over samples, cells, blocks, boxes or ranks, which are optimized for speed; SOURCES, for size.
# FACADES: the layer implements the public classes and functions. It sees all of include/, not only
# include/esker/types.
# LIBRARIES are linked by the library esker; of HEADERS nothing is linked (Debian's toml++ would be a library).
function(esker_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "FACADES" "" "SOURCES;KERNELS;LAYERS;LIBRARIES;HEADERS")
  set(root ${PROJECT_BINARY_DIR}/layers/${name})
  get_filename_component(parent ${root}/${name} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${name} SYMBOLIC)

  string(REPLACE "/" "_" target esker_${name})
  if(layer_SOURCES)
    add_library(${target} OBJECT ${layer_SOURCES})
    target_compile_options(${target} PRIVATE ${esker_small})
    esker_add_kernels(${target} ${layer_KERNELS})
    if(ESKER_UNITY)
      target_precompile_headers(${target} REUSE_FROM esker_headers)
    endif()
  else()
    add_library(${target} OBJECT ${layer_KERNELS})
  endif()
  # Two sources of half the size take a quarter more time, most of it for headers and templates.
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 50)
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

# esker_add_kernels(TARGET b.cc ...): adds sources that are optimized for speed to a target whose others are not. CMake
# compiles sources with their own flags one by one, so this one includes them.
function(esker_add_kernels target)
  if(NOT ESKER_UNITY OR NOT ARGN)
    set(kernels ${ARGN})
  else()
    list(TRANSFORM ARGN REPLACE "(.+)" "#include \"${CMAKE_CURRENT_SOURCE_DIR}/\\1\"\n" OUTPUT_VARIABLE includes)
    set(kernels ${CMAKE_CURRENT_BINARY_DIR}/kernels.cc)
    list(JOIN includes "" includes)
    file(CONFIGURE OUTPUT ${kernels} CONTENT "${includes}" @ONLY)
  endif()
  target_sources(${target} PRIVATE ${kernels})
  set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS "${esker_fast}" SKIP_PRECOMPILE_HEADERS ON)
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
