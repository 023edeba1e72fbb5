/* The library's version: this is its only definition (CMake and the Python package read it here). */
#ifndef ESKER_VERSION_H
#define ESKER_VERSION_H

#define ESKER_VERSION "0.1.0"

#endif
