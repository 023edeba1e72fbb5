// esker-uintah: the output of a code with adaptive mesh refinement, written in several ways and checked. See
// README.md.
//
// Exit codes, the same on all ranks: 0 success, 1 output or check failed, 2 wrong usage.
#include "common/main.h"

#include "run.h"
#include "settings.h"

int main(int argc, char** argv) {
  return miniapp::main_of("esker-uintah", argc, argv, uintah::parse_command_line, uintah::run);
}
