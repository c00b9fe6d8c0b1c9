/* Puts the wall clock of the program that it is loaded into ahead by the seconds in CLOCK_OFFSET_FILE, a 64-bit integer, as often as
   they change. The monotonic clock stays as it is; libfaketime breaks sleeps that end by it. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset;

__attribute__((constructor)) static void open_offset(void) {
  const char *path = getenv("CLOCK_OFFSET_FILE");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  void *content = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
  if (content == MAP_FAILED) abort();
  close(file);
  offset = content;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int status = (int)syscall(SYS_clock_gettime, clock, time);
  if (status == 0 && clock == CLOCK_REALTIME) time->tv_sec += *offset;
  return status;
}
