#include "cli/command_line.h"
#include "core/standard_streams.h"

int main(int argc, char** argv) {
  attend::occupy_closed_standard_streams();
  return attend::cli::run(argc, argv);
}
