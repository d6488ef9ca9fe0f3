/* Squats: bends hips, knees and ankles up and down, and stops when the robot has fallen. */
#include <gradus/controller.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct Squat {
  int count;
  int joint[6];     /* left and right: hip pitch, knee, ankle pitch */
  double start[6];  /* targets at the first call */
  double depth;     /* [rad] */
  int called;
};

static const char* kJoints[6] = {"left_hip_pitch", "left_knee", "left_ankle_pitch",
                                 "right_hip_pitch", "right_knee", "right_ankle_pitch"};

uint32_t gradus_controller_version(void) { return GRADUS_CONTROLLER_VERSION; }

void* gradus_controller_create(const gradus_robot_info* info, const char* options) {
  struct Squat* s = calloc(1, sizeof *s);
  s->depth = 0.4;
  if (strncmp(options, "depth=", 6) == 0) s->depth = atof(options + 6);
  for (int k = 0; k < 6; ++k) {
    s->joint[k] = -1;
    for (int j = 0; j < info->joint_count; ++j)
      if (strcmp(info->joint_names[j], kJoints[k]) == 0) s->joint[k] = j;
    if (s->joint[k] < 0) { /* not a robot that can squat */
      free(s);
      return NULL;
    }
  }
  return s;
}

int32_t gradus_controller_step(void* self, const gradus_output* out, gradus_command* command) {
  struct Squat* s = self;
  if (!s->called++)
    for (int k = 0; k < 6; ++k) s->start[k] = command->target[s->joint[k]];
  const double bend = 0.5 * s->depth * (1 - cos(2 * 3.14159265358979 * 0.5 * out->time));
  const double share[3] = {-1, 2, -1}; /* the trunk stays upright, the feet flat */
  for (int k = 0; k < 6; ++k) command->target[s->joint[k]] = s->start[k] + share[k % 3] * bend;
  return 0;
}

void gradus_controller_destroy(void* self) { free(self); }
