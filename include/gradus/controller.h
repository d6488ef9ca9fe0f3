/* gradus: the interface of controller libraries. Plain C; include this one file, build a shared library and name it
 * in a scene:
 *
 *     controller = { library = "build/libmy_controller.so", rate = "100 Hz", options = "gain=2" }
 *
 * gradus calls gradus_controller_create once for each robot, gradus_controller_step at the stated rate of simulated
 * time with what the robot sees, and gradus_controller_destroy at the end. All calls for one robot come from one
 * thread, one at a time. Output and command are valid during the call only.
 *
 * Every struct begins with its size and the interface version: newer versions only append, so a library built against
 * an older header keeps working. SI units, radians; quaternions (w, x, y, z); base axes: x forward, y left, z up.
 */
#ifndef GRADUS_CONTROLLER_H
#define GRADUS_CONTROLLER_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GRADUS_CONTROLLER_VERSION 4 /* 2: motors and stiffness; 3: speed, torque and gains of joints; 4: sensors */

typedef struct gradus_robot_info {
  uint32_t size, version;
  const char* name; /* of this robot in the scene */
  const char* kind; /* of robot */
  int32_t joint_count;
  const char* const* joint_names; /* (joint_count) */
  const double* joint_lower;      /* (joint_count) limits [rad] or [m] */
  const double* joint_upper;
  int32_t foot_count;
  double period; /* between two calls [s] */
  /* since version 2 */
  const int32_t* joint_has_motor; /* (joint_count) 1: an actuator chain drives it; motor readings and stiffness count */
} gradus_robot_info;

typedef struct gradus_image {
  const char* format; /* "rgb", "grey", "yuyv", "depth" (float, metres along the line of sight, 0: sky), "segmentation" (uint16) */
  int32_t width, height;
  int64_t row_bytes;
  const uint8_t* data; /* rows from the top */
  int64_t frame;       /* number of the frame, from 0 */
  double time;         /* middle of its exposure, simulated [s] */
} gradus_image;

/* One sensor of the robot. Names and counts stay the same from call to call. */
typedef struct gradus_sensor {
  const char* name; /* "gyro" */
  const char* kind; /* "gyroscope" */
  int32_t channel_count;
  const char* const* channel_names; /* (channel_count) "x", "y", "z" */
  const double* values;             /* (channel_count) of the newest sample that has arrived, SI units */
  const double* truth;              /* (channel_count) what it measures, now: ground truth */
  double time;                      /* of the sample, simulated [s] */
  int64_t sample;                   /* its number from 0; -1: none has arrived, values are as at the start */
  /* Of cameras, else NULL: the newest image that has arrived, in format number 0, 1, ... of the camera; NULL if there is
     none. It is rendered in this call unless it was before; good until the next call for this camera. */
  const struct gradus_image* (*image)(const struct gradus_sensor* sensor, int32_t format);
  const void* source; /* for image */
} gradus_sensor;

typedef struct gradus_output {
  uint32_t size, version;
  int64_t k;   /* step number */
  double time; /* simulated [s] */
  int32_t joint_count, foot_count;
  const double* q;            /* (joint_count) joint coordinates */
  const double* v;            /* (joint_count) joint velocities */
  const double* tau;          /* (joint_count) joint forces of the last step */
  double base_position[3];    /* ground truth, world axes [m] */
  double base_orientation[4]; /* w x y z */
  double base_velocity[3];    /* world axes [m/s] */
  double gyro[3];             /* base axes [rad/s] */
  double accelerometer[3];    /* base axes, specific force [m/s^2] */
  const double* foot_force;   /* (foot_count) normal force [N] */
  /* since version 2; q is what encoders on the joints see */
  const double* q_motor; /* (joint_count) encoders on the motors, at the joint: not q where gears have play or yield */
  const double* motor_current; /* (joint_count) [A], 0 without electrical motor */
  const double* motor_voltage; /* (joint_count) at the terminals in the last step [V], the same */
  /* since version 4. What a sensor measures is above as the sensor shows it, late and noisy: encoders q and v, motor
     encoders q_motor, gyroscope and accelerometer of the base, pads foot_force. Without sensors all is exact. */
  int32_t sensor_count;
  const gradus_sensor* sensors; /* (sensor_count) in the order of the robot's file */
} gradus_output;

typedef struct gradus_command {
  uint32_t size, version;
  int32_t joint_count;
  double* target; /* (joint_count) joint targets; holds the last ones */
  /* since version 2 */
  double* stiffness; /* (joint_count) 0 ... 1, share of the servo's output, 0 releases the motor; holds the last ones;
                        NULL if no joint has a motor */
  /* since version 3; (joint_count) each, held like targets; NULL unless the scene says commands = "impedance" of the robot:
     torque = kp (target - q) + kd (velocity - v) + torque, within the servo's limits. Torque control: kp = kd = 0. */
  double* velocity;
  double* torque;
  double* kp; /* begin as the servo's */
  double* kd;
} gradus_command;

/* A library exports these four functions. */
uint32_t gradus_controller_version(void); /* returns GRADUS_CONTROLLER_VERSION */
/* Returns the controller's own state, or NULL if it cannot serve this robot. */
void* gradus_controller_create(const gradus_robot_info* info, const char* options);
/* Returns 0, or another number to end the run with an error. */
int32_t gradus_controller_step(void* self, const gradus_output* output, gradus_command* command);
void gradus_controller_destroy(void* self);
/* Two more, if the run shall be able to go back (the viewer's time line, save and restore): what the controller knows, as bytes.
 * save writes at most `room` bytes and returns how many it needs (0 ... 16 MiB); if that is more, it is asked again with enough
 * room. restore returns 0, or another number if it cannot go on from there. Both are found by name when they are there. */
int64_t gradus_controller_save(void* self, void* to, int64_t room);
int32_t gradus_controller_restore(void* self, const void* from, int64_t size);

#ifdef __cplusplus
}
#endif
#endif
