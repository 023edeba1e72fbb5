# One target per layer, and the flags that all of our code is compiled with.

add_library(esker_flags INTERFACE)
target_compile_options(esker_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
# gcc 12 sees overlapping copies where std::string is appended to (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(esker_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(ESKER_WERROR)
  target_compile_options(esker_flags INTERFACE -Werror)
endif()
if(ESKER_SANITIZE)
  target_compile_options(esker_flags INTERFACE -fsanitize=${ESKER_SANITIZE} -fno-omit-frame-pointer
                                               -fno-sanitize-recover=all)
  target_link_options(esker_flags INTERFACE -fsanitize=${ESKER_SANITIZE})
endif()

# esker_add_layer(NAME SOURCES a.cc ... LAYERS base ... LIBRARIES fmt::fmt ...)
#
# Declares the folder src/NAME as the object library esker_NAME. Its headers are included as
# "NAME/header.h" and can be seen only by layers that list NAME in LAYERS: each layer has an include
# root of its own, which holds nothing but a link to its folder, so a wrong dependency does not compile.
function(esker_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "SOURCES;LAYERS;LIBRARIES")
  set(root ${CMAKE_BINARY_DIR}/layers/${name})
  get_filename_component(parent ${root}/${name} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${name} SYMBOLIC)

  string(REPLACE "/" "_" target esker_${name})
  add_library(${target} OBJECT ${layer_SOURCES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include ${root})
  target_link_libraries(${target} PUBLIC ${layer_LIBRARIES} PRIVATE esker_flags)
  foreach(below IN LISTS layer_LAYERS)
    string(REPLACE "/" "_" below esker_${below})
    target_link_libraries(${target} PUBLIC ${below})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY ESKER_LAYERS ${target})
endfunction()
