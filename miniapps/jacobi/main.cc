// esker-jacobi: heat that spreads in a box, computed on GPUs, that writes and restarts from their memory. See
// README.md.
//
// Exit codes, the same on all ranks: 0 success, 1 output, restart or verification failed, 2 wrong usage.
#include "common/main.h"

#include "run.h"
#include "settings.h"

int main(int argc, char** argv) {
  return miniapp::main_of("esker-jacobi", argc, argv, jacobi::parse_command_line, jacobi::run);
}
