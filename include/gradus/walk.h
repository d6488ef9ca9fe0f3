/* gradus: its walking control for controller libraries. A library that links gradus::gradus hands the steps to it and
 * keeps the decisions:
 *
 *     walk = gradus_walk_open("robots/nao_h25_v6.toml", "motions/nao_walk.toml", error, sizeof error);
 *     gradus_walk_command(walk, 0.09, 0, 0.2);           forward [m/s], to the left [m/s], turning left [rad/s]
 *     gradus_walk_step(walk, output, command);           in every gradus_controller_step: fills all joints' targets
 *
 * A command counts for steps that begin after it and shows about 0.6 s later (the preview). Zero: one closing step,
 * then it stands. A pure function of commands and calls unless feedback is switched on. Plain C; examples/walker is a
 * complete library.
 */
#ifndef GRADUS_WALK_H
#define GRADUS_WALK_H
#include <gradus/controller.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gradus_walk gradus_walk;

/* robot_file: the description that the scene names; walk_file: the gait. NULL if they cannot be used; then `error` (of
 * `size` bytes, may be NULL) says why. */
gradus_walk* gradus_walk_open(const char* robot_file, const char* walk_file, char* error, uint32_t size);
void gradus_walk_close(gradus_walk* walk);
void gradus_walk_command(gradus_walk* walk, double forward, double side, double turn);
/* Ankles against the base's rates (gyroscope, foot forces); heading against the commanded one. Before the first step.
 */
void gradus_walk_feedback(gradus_walk* walk, int32_t stabilise, int32_t steer);
/* 0, or 1 if the robot of the scene has other joints than the file. */
int32_t gradus_walk_step(gradus_walk* walk, const gradus_output* output, gradus_command* command);
/* Is it walking, or will it within the preview? */
int32_t gradus_walk_is_walking(const gradus_walk* walk);

#ifdef __cplusplus
}
#endif
#endif
