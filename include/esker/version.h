/* The library's version: the one place where it stands (CMake and the Python package read it here). */
#ifndef ESKER_VERSION_H
#define ESKER_VERSION_H

#define ESKER_VERSION "0.1.0"

#endif
