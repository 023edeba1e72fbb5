// esker-gcrm: a tracer on a geodesic grid, on MPI ranks, that writes its steps through Esker. See README.md.
//
// Exit codes, the same on all ranks: 0 success, 1 output failed, 2 wrong usage.
#include "common/main.h"

#include "run.h"
#include "settings.h"

int main(int argc, char** argv) {
  return miniapp::main_of("esker-gcrm", argc, argv, gcrm::parse_command_line, gcrm::run);
}
