/* Walks to the corners of a square, one after the other: turns towards the next corner, walks there, goes on. */
#include <gradus/walk.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Walker {
  gradus_walk* walk;
  int corner;
};

static const double kSide = 0.5; /* [m] */

uint32_t gradus_controller_version(void) { return GRADUS_CONTROLLER_VERSION; }

/* options: "ROBOT_FILE WALK_FILE" */
void* gradus_controller_create(const gradus_robot_info* info, const char* options) {
  char robot[512], gait[512], error[1024] = "";
  (void)info;
  if (sscanf(options, "%511s %511s", robot, gait) != 2) return NULL;
  struct Walker* w = calloc(1, sizeof *w);
  w->walk = gradus_walk_open(robot, gait, error, sizeof error);
  if (!w->walk) {
    fprintf(stderr, "%s", error);
    free(w);
    return NULL;
  }
  return w;
}

static double heading(const double* q) { return atan2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3])); }

int32_t gradus_controller_step(void* self, const gradus_output* out, gradus_command* command) {
  struct Walker* w = self;
  const double corners[4][2] = {{kSide, 0}, {kSide, kSide}, {0, kSide}, {0, 0}};
  const double dx = corners[w->corner][0] - out->base_position[0], dy = corners[w->corner][1] - out->base_position[1];
  if (hypot(dx, dy) < 0.08) w->corner = (w->corner + 1) % 4;
  const double away = remainder(atan2(dy, dx) - heading(out->base_orientation), 2 * 3.14159265358979);
  const double turn = fmax(-0.6, fmin(0.6, 0.8 * away));
  gradus_walk_command(w->walk, fabs(away) < 0.5 ? 0.09 : 0, 0, turn);
  return gradus_walk_step(w->walk, out, command);
}

void gradus_controller_destroy(void* self) {
  struct Walker* w = self;
  gradus_walk_close(w->walk);
  free(w);
}
