// esker-s3d: a lifted jet flame on MPI ranks that writes adaptive output and checkpoints through Esker. See
// README.md.
//
// Exit codes, the same on all ranks: 0 success, 1 output, restart or verification failed, 2 wrong usage.
#include "common/main.h"

#include "run.h"
#include "settings.h"

int main(int argc, char** argv) {
  return miniapp::main_of("esker-s3d", argc, argv, s3d::parse_command_line, s3d::run);
}
