/* Looks for an orange ball in the images of the robot's camera, turns towards it and walks there: what a robot's program
 * would do with its real camera. Nothing else of the simulation is used: no ball position, no base position.
 *
 * options: "ROBOT_FILE WALK_FILE CAMERA"
 */
#include <gradus/walk.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Vision {
  gradus_walk* walk;
  char camera[64];
  double focal;       /* of the camera, in pixels */
  int64_t frame;      /* the last one that was looked at */
  double bearing;     /* to the ball, to the left [rad] */
  double distance;    /* [m]; negative: not seen */
  double lost_since;  /* [s] */
  int arrived;
};

static const double kBall = 0.085;   /* its diameter [m] */
static const double kView = 0.98262; /* horizontal angle of view [rad] */

uint32_t gradus_controller_version(void) { return GRADUS_CONTROLLER_VERSION; }

void* gradus_controller_create(const gradus_robot_info* info, const char* options) {
  char robot[512], gait[512], error[1024] = "";
  (void)info;
  struct Vision* v = calloc(1, sizeof *v);
  if (sscanf(options, "%511s %511s %63s", robot, gait, v->camera) != 3) return free(v), NULL;
  v->walk = gradus_walk_open(robot, gait, error, sizeof error);
  if (!v->walk) {
    fprintf(stderr, "%s", error);
    return free(v), NULL;
  }
  v->frame = -1;
  v->distance = -1;
  return v;
}

/* Orange in YUYV: much red, little blue. Centre and area of all such pixels; the ball is a disc of that area. */
static void look(struct Vision* v, const gradus_image* image) {
  double sum_x = 0, count = 0;
  const double middle = 0.5 * (image->width - 1), focal = 0.5 * image->width / tan(0.5 * kView);
  for (int y = 0; y < image->height; ++y) {
    const uint8_t* row = image->data + y * image->row_bytes;
    for (int x = 0; x + 1 < image->width; x += 2) {
      const int cb = row[2 * x + 1], cr = row[2 * x + 3];
      if (cr - cb < 60 || row[2 * x] < 40) continue;
      sum_x += 2 * x + 1; /* two pixels share their colour */
      count += 2;
    }
  }
  v->distance = -1;
  if (count < 12) return;
  v->bearing = -atan((sum_x / count - middle) / focal);
  v->distance = focal * kBall / sqrt(count * 4 / 3.14159265358979);
}

static const gradus_sensor* find_camera(const struct Vision* v, const gradus_output* out) {
  for (int32_t i = 0; i < out->sensor_count; ++i)
    if (out->sensors[i].image && strcmp(out->sensors[i].name, v->camera) == 0) return &out->sensors[i];
  return NULL;
}

int32_t gradus_controller_step(void* self, const gradus_output* out, gradus_command* command) {
  struct Vision* v = self;
  const gradus_sensor* camera = find_camera(v, out);
  if (!camera) return fprintf(stderr, "the robot has no camera '%s'\n", v->camera), 1;
  if (camera->sample > v->frame) { /* a new image has arrived: look at it once */
    const gradus_image* image = camera->image(camera, 0);
    if (image && strcmp(image->format, "yuyv") == 0) look(v, image), v->frame = image->frame;
  }
  if (v->distance >= 0) v->lost_since = out->time;
  v->arrived = v->distance >= 0 && v->distance < (v->arrived ? 0.8 : 0.6);
  if (v->arrived)
    gradus_walk_command(v->walk, 0, 0, 0);
  else if (v->distance >= 0 || out->time - v->lost_since < 0.5) { /* a ball that is hidden for a moment is not lost */
    const double turn = fmax(-0.5, fmin(0.5, 0.8 * v->bearing));
    gradus_walk_command(v->walk, fabs(v->bearing) < 0.4 ? 0.08 : 0, 0, turn);
  } else {
    gradus_walk_command(v->walk, 0, 0, 0.5); /* look around */
  }
  return gradus_walk_step(v->walk, out, command);
}

void gradus_controller_destroy(void* self) {
  struct Vision* v = self;
  gradus_walk_close(v->walk);
  free(v);
}
