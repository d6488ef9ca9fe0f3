/* A Nao bends its knees over LoLA, in plain C: as small as a program for the robot can be.
 *
 *     cc -O2 -o squat examples/lola/squat.c -lm
 *     gradus run nao --lola=/tmp/robocup                  in one terminal
 *     ./squat /tmp/robocup                                in another one
 *
 * Every 12 ms LoLA sends a MessagePack map of 896 bytes; the answer is a map with what is to be changed. The joints'
 * angles are read where they always are: the first number of "Position" follows its name and the three bytes of its list. */
#define _GNU_SOURCE /* memmem */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { kPacket = 896, kJoints = 25, kLHipPitch = 9, kRHipPitch = 14 };

static int read_all(int fd, uint8_t* to, size_t bytes) {
  for (size_t got = 0; got < bytes;) {
    const ssize_t n = recv(fd, to + got, bytes - got, 0);
    if (n <= 0) return 0;
    got += (size_t)n;
  }
  return 1;
}

/* Numbers are a tag and four bytes, the highest first. */
static float number_at(const uint8_t* at) {
  const uint32_t bits = (uint32_t)at[1] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 8 | at[4];
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static uint8_t* put_numbers(uint8_t* at, const char* name, const float* x) {
  const size_t length = strlen(name);
  *at++ = (uint8_t)(0xa0 | length);
  memcpy(at, name, length);
  at += length;
  *at++ = 0xdc, *at++ = 0, *at++ = kJoints;
  for (int i = 0; i < kJoints; ++i) {
    uint32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    *at++ = 0xca, *at++ = (uint8_t)(bits >> 24), *at++ = (uint8_t)(bits >> 16), *at++ = (uint8_t)(bits >> 8), *at++ = (uint8_t)bits;
  }
  return at;
}

static int connect_to(const char* path) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
  for (int tries = 0; tries < 600; ++tries) {
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr*)&at, sizeof at) == 0) return fd;
    close(fd);
    nanosleep(&(struct timespec){0, 50000000}, NULL);
  }
  return -1;
}

int main(int argc, char** argv) {
  const int fd = connect_to(argc > 1 ? argv[1] : "/tmp/robocup");
  if (fd < 0) return fprintf(stderr, "nobody listens\n"), 1;
  uint8_t packet[kPacket], answer[512];
  float start[kJoints], target[kJoints], stiffness[kJoints];
  long packets = 0;
  for (; read_all(fd, packet, kPacket); ++packets) {
    static const char kName[] = "\xa8Position\xdc";
    const uint8_t* position = memmem(packet, kPacket, kName, sizeof kName - 1);
    if (!position) return fprintf(stderr, "this is no packet of LoLA\n"), 1;
    position += sizeof kName - 1 + 2;
    for (int i = 0; i < kJoints && packets == 0; ++i) start[i] = number_at(position + 5 * i);
    const float bend = 0.15f * (1 - cosf(3.14159265f * 0.012f * (float)packets));
    for (int i = 0; i < kJoints; ++i) target[i] = start[i], stiffness[i] = 1;
    const int hips[2] = {kLHipPitch, kRHipPitch};
    for (int leg = 0; leg < 2; ++leg) {
      target[hips[leg]] -= bend, target[hips[leg] + 1] += 2 * bend, target[hips[leg] + 2] -= bend;
    }
    answer[0] = 0x82; /* two keys */
    const uint8_t* end = put_numbers(put_numbers(answer + 1, "Position", target), "Stiffness", stiffness);
    if (send(fd, answer, (size_t)(end - answer), MSG_NOSIGNAL) < 0) break;
  }
  printf("%ld packets\n", packets);
  return 0;
}
