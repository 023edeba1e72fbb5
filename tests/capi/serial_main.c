/* The C tests in one process: capi_serial DIRECTORY */
#include <stdio.h>

#include "world.h"

int main(int argc, char** argv) {
  struct world w = {NULL, 0, 1, NULL};
  if (argc != 2) {
    fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
    return 2;
  }
  w.directory = argv[1];
  return run_all(&w) > 0;
}
