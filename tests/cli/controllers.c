/* Controller libraries that misbehave; the macro says how. OLD: built for version 1, which knew no motors. MOTORS:
 * reads both encoders of a worn knee, its current and voltage, releases it, and ends the run with code 7 if all was as
 * it must be. FLUSH: changes the floating-point environment as -Ofast does, and the rounding, and leaves it so;
 * NOTHING: the same without. REMEMBERS: its targets depend on all that it saw, and it saves what it knows. */
#include <gradus/controller.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct Knee {
  int joint;
  double most_apart, most_current, most_voltage;
};

uint32_t gradus_controller_version(void) {
#ifdef FUTURE
  return GRADUS_CONTROLLER_VERSION + 1;
#elif defined(OLD)
  return 1;
#else
  return GRADUS_CONTROLLER_VERSION;
#endif
}
void* gradus_controller_create(const gradus_robot_info* info, const char* options) {
  (void)options;
  struct Knee* knee = calloc(1, sizeof *knee);
#ifdef MOTORS
  for (int j = 0; j < info->joint_count; ++j)
    if (strcmp(info->joint_names[j], "LKneePitch") == 0 && info->joint_has_motor[j]) knee->joint = j;
#endif
  (void)info;
  return knee;
}
#ifdef MOTORS
static int32_t look_at(struct Knee* knee, const gradus_output* output, gradus_command* command) {
  const int j = knee->joint;
  const double apart = fabs(output->q_motor[j] - output->q[j]), current = fabs(output->motor_current[j]),
               voltage = fabs(output->motor_voltage[j]);
  if (output->time < 0.5) { /* standing: the load holds the teeth apart by half the play and a little */
    knee->most_apart = fmax(knee->most_apart, apart);
    knee->most_current = fmax(knee->most_current, current);
    knee->most_voltage = fmax(knee->most_voltage, voltage);
    return command->stiffness[j] == 0.7 ? 0 : 2; /* as the servo file has it */
  }
  command->stiffness[j] = 0;
  if (output->time < 0.515) return 0;
  if (current != 0 || voltage != 0) return 3; /* released: an open circuit */
  const int seen = knee->most_apart > 0.011 && knee->most_apart < 0.03 && knee->most_current > 0.01 && knee->most_voltage > 0.1;
  return seen ? 7 : 4;
}
#endif
#ifdef DEEP
static volatile int depth;
static int deeper(volatile char* above) { /* the stack ends before the recursion does */
  volatile char room[4096];
  room[0] = *above;
  if (++depth == 1 << 30) return room[0];
  return deeper(room) + room[0];
}
#endif
#if defined(OWN_THREAD) || defined(OWN_EXIT)
#include <pthread.h>
static void* go_wrong(void* nothing) {
#ifdef OWN_EXIT
  exit(3);
#else
  static int* volatile nowhere;
  *nowhere = 1;
#endif
  return nothing;
}
#endif
#if defined(FLUSH)
#include <fenv.h>
#include <xmmintrin.h>
/* as crtfastmath.o of -Ofast does it when the library is loaded */
__attribute__((constructor)) static void flush_to_zero(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
#endif
int32_t gradus_controller_step(void* self, const gradus_output* output, gradus_command* command) {
  (void)self;
#ifdef MOTORS
  return look_at(self, output, command);
#endif
#ifdef TOO_STIFF
  if (output->time > 0.3) command->stiffness[0] = 1.5;
#endif
#ifdef CRASH
  static int* volatile nowhere; /* the compiler cannot see that it is null */
  if (output->time > 0.3) *nowhere = 1;
#endif
#ifdef DEEP
  char top = 0;
  if (output->time > 0.3) return deeper(&top);
#endif
#ifdef EXIT
  if (output->time > 0.3) exit(3);
#endif
#if defined(OWN_THREAD) || defined(OWN_EXIT)
  static pthread_t thread;
  if (output->time > 0.3 && !thread) pthread_create(&thread, 0, go_wrong, 0);
#endif
#ifdef LOOP
  while (output->time > 0.3) continue;
#endif
#ifdef FLUSH
  fesetround(FE_UPWARD);
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
#ifdef NOT_FINITE
  if (output->time > 0.3) command->target[0] = NAN;
#endif
#ifdef REMEMBERS
  struct Knee* calls = self;
  calls->most_current += output->q[0];
  command->target[0] = 0.02 * ++calls->joint - 0.3 * calls->most_current;
#endif
  (void)output, (void)command;
  return 0;
}
#ifdef REMEMBERS
int64_t gradus_controller_save(void* self, void* to, int64_t room) {
  if (room >= (int64_t)sizeof(struct Knee)) memcpy(to, self, sizeof(struct Knee));
  return sizeof(struct Knee);
}
int32_t gradus_controller_restore(void* self, const void* from, int64_t size) {
  if (size != sizeof(struct Knee)) return 1;
  memcpy(self, from, sizeof(struct Knee));
  return 0;
}
#endif
void gradus_controller_destroy(void* self) { free(self); }
