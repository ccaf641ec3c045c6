#include "cli/command_line.h"

int main(int argc, char** argv) {
  return attend::cli::run(argc, argv);
}
