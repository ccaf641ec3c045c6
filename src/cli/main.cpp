#include "cli/command_line.h"
#include "core/standard_streams.h"
#include "kernels/cpu/cpu_limit.h"

int main(int argc, char** argv) {
  attend::kernels::keep_libraries_to_allowed(argv);
  attend::occupy_closed_standard_streams();
  attend::end_process(attend::cli::run(argc, argv));
}
