/* Controller libraries that misbehave; the macro says how. */
#include <gradus/controller.h>
#include <math.h>
#include <stdlib.h>

uint32_t gradus_controller_version(void) {
#ifdef FUTURE
  return GRADUS_CONTROLLER_VERSION + 1;
#else
  return GRADUS_CONTROLLER_VERSION;
#endif
}
void* gradus_controller_create(const gradus_robot_info* info, const char* options) {
  (void)info, (void)options;
  return malloc(1);
}
int32_t gradus_controller_step(void* self, const gradus_output* output, gradus_command* command) {
  (void)self;
#ifdef CRASH
  static int* volatile nowhere; /* the compiler cannot see that it is null */
  if (output->time > 0.3) *nowhere = 1;
#endif
#ifdef NOT_FINITE
  if (output->time > 0.3) command->target[0] = NAN;
#endif
  (void)output, (void)command;
  return 0;
}
void gradus_controller_destroy(void* self) { free(self); }
