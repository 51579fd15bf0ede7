// Writes down what a process does to the files below POWER_DIR, in order, into POWER_LOG: enough to build what a disk
// would hold if the power failed after any of these calls. Loaded by LD_PRELOAD; compiled by the proof that uses it.
//
// A record: kind (1 byte), length of the first path (4), of the second path (4), of the data (4), offset (8), then the three.
// W write, T truncate, S sync (its data: the whole content, where it can be read), C create or empty, R rename, L link, U unlink.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int out = -2;

static int log_fd(void) {
  if (out == -2) {
    const char *path = getenv("POWER_LOG");
    out = path ? REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  }
  return out;
}

static int inside(const char *path) {
  const char *folder = getenv("POWER_DIR");
  return folder && log_fd() >= 0 && strncmp(path, folder, strlen(folder)) == 0;
}

static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, PATH_MAX - 1);
  if (n < 0) return 0;
  path[n] = 0;
  return inside(path);
}

static void absolute(int at, const char *path, char *full) {
  char base[PATH_MAX] = "";
  if (path[0] == '/') { snprintf(full, PATH_MAX, "%s", path); return; }
  if (at == AT_FDCWD) { if (!getcwd(base, sizeof base)) base[0] = 0; }
  else path_of(at, base);
  snprintf(full, PATH_MAX * 2, "%s/%s", base, path);
}

static void record(char kind, const char *one, const char *other, const void *data, uint32_t size, uint64_t offset) {
  int saved = errno;
  uint32_t a = strlen(one), b = other ? strlen(other) : 0;
  char head[21];
  head[0] = kind; memcpy(head + 1, &a, 4); memcpy(head + 5, &b, 4); memcpy(head + 9, &size, 4); memcpy(head + 13, &offset, 8);
  struct iovec parts[4] = {{head, 21}, {(void *)one, a}, {(void *)(other ? other : ""), b}, {(void *)data, size}};
  if (REAL(writev)(log_fd(), parts, 4) < 0) abort();
  errno = saved;
}

static void wrote(int fd, const void *data, ssize_t n, off_t offset) {
  char path[PATH_MAX];
  if (n > 0 && path_of(fd, path)) record('W', path, 0, data, n, offset);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
  pthread_mutex_lock(&lock);
  ssize_t n = REAL(pwrite)(fd, data, size, offset);
  wrote(fd, data, n, offset);
  pthread_mutex_unlock(&lock);
  return n;
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) { return pwrite(fd, data, size, offset); }

ssize_t write(int fd, const void *data, size_t size) {
  pthread_mutex_lock(&lock);
  ssize_t n = REAL(write)(fd, data, size);
  if (n > 0) {
    int saved = errno;
    off_t end = lseek(fd, 0, SEEK_CUR);
    errno = saved;
    if (end >= 0) wrote(fd, data, n, end - n);
  }
  pthread_mutex_unlock(&lock);
  return n;
}

int ftruncate(int fd, off_t size) {
  char path[PATH_MAX];
  pthread_mutex_lock(&lock);
  int result = REAL(ftruncate)(fd, size);
  if (result == 0 && path_of(fd, path)) record('T', path, 0, 0, 0, size);
  pthread_mutex_unlock(&lock);
  return result;
}
int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }

static void synced(int fd) {
  char path[PATH_MAX];
  struct stat stat;
  if (!path_of(fd, path) || fstat(fd, &stat) != 0) return;
  char *content = S_ISREG(stat.st_mode) ? malloc(stat.st_size + 1) : 0;
  ssize_t n = content ? pread(fd, content, stat.st_size, 0) : -1;
  // Offset 1 says that the data is the whole content.
  record('S', path, 0, content, n > 0 ? n : 0, n >= 0);
  free(content);
}
int fsync(int fd) {
  pthread_mutex_lock(&lock);
  int result = REAL(fsync)(fd);
  if (result == 0) synced(fd);
  pthread_mutex_unlock(&lock);
  return result;
}
int fdatasync(int fd) {
  pthread_mutex_lock(&lock);
  int result = REAL(fdatasync)(fd);
  if (result == 0) synced(fd);
  pthread_mutex_unlock(&lock);
  return result;
}

static int opened(int at, const char *path, int flags, mode_t mode) {
  char full[PATH_MAX * 2];
  struct stat before;
  pthread_mutex_lock(&lock);
  absolute(at, path, full);
  int creates = (flags & (O_CREAT | O_TRUNC)) && inside(full) && (stat(full, &before) != 0 || (flags & O_TRUNC));
  int fd = REAL(openat)(at, path, flags, mode);
  if (fd >= 0 && creates) record('C', full, 0, 0, 0, 0);
  pthread_mutex_unlock(&lock);
  return fd;
}
#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
int open(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int at, const char *path, int flags, ...) { MODE return opened(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE return opened(at, path, flags | O_LARGEFILE, mode); }

static int two(char kind, int result, const char *from, const char *to) {
  if (result == 0 && (inside(from) || inside(to))) record(kind, from, to, 0, 0, 0);
  pthread_mutex_unlock(&lock);
  return result;
}
int rename(const char *from, const char *to) { pthread_mutex_lock(&lock); return two('R', REAL(rename)(from, to), from, to); }
int link(const char *from, const char *to) { pthread_mutex_lock(&lock); return two('L', REAL(link)(from, to), from, to); }
int unlink(const char *path) {
  pthread_mutex_lock(&lock);
  int result = REAL(unlink)(path);
  if (result == 0 && inside(path)) record('U', path, 0, 0, 0, 0);
  pthread_mutex_unlock(&lock);
  return result;
}
int unlinkat(int at, const char *path, int flags) {
  char full[PATH_MAX * 2];
  pthread_mutex_lock(&lock);
  absolute(at, path, full);
  int result = REAL(unlinkat)(at, path, flags);
  if (result == 0 && inside(full)) record('U', full, 0, 0, 0, 0);
  pthread_mutex_unlock(&lock);
  return result;
}
