/* Fails, or kills the program, at the n-th call that touches a file below one folder: preloaded into it.

   `fault_arm(n, how)` counts from there: how 0 only counts, 1 fails with EIO, 2 with ENOSPC, 3 kills before
   the call, 4 kills after it; of what is to be written 5 writes half and says so, 6 kills after half of it.
   `fault_count()` says how many calls there were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define FILES 4096
enum { COUNT, EIO_NOW, FULL_NOW, KILL_BEFORE, KILL_AFTER, HALF, KILL_HALF };
static char mine[FILES];
static const char *root;
static long seen, at = -1;
static int how;

__attribute__((constructor)) static void begin(void) { root = getenv("FAULT_ROOT"); }

void fault_arm(long n, int what) { seen = 0; at = n; how = what; }
long fault_count(void) { return seen; }

static int below(const char *path) { return root && path && !strncmp(path, root, strlen(root)); }
static int of(int fd) { return fd >= 0 && fd < FILES && mine[fd]; }

/* Whether this call is the one that fails; `last` is set where the program dies after it, `part` is what it halves. */
static int fails(int ours, int *last, size_t *part) {
    *last = 0;
    if (!ours || at < 0 || seen++ != at) return 0;
    if (how == KILL_BEFORE) raise(SIGKILL);
    *last = how == KILL_AFTER || how == KILL_HALF;
    if ((how == HALF || how == KILL_HALF) && part && *part > 1) *part /= 2;
    errno = how == FULL_NOW ? ENOSPC : EIO;
    return how == EIO_NOW || how == FULL_NOW;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define TRY_PART(type, ours, part, call) \
    int last; \
    if (fails(ours, &last, part)) return -1; \
    type done = call; \
    if (last) raise(SIGKILL); \
    return done

#define TRY(type, ours, call) TRY_PART(type, ours, NULL, call)
#define WRITE(ours, call) TRY_PART(ssize_t, ours, &n, call)

static int opened(int fd, const char *path) {
    if (fd >= 0 && fd < FILES) mine[fd] = below(path);
    return fd;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list more; va_start(more, flags); \
        mode_t mode = va_arg(more, mode_t); va_end(more); \
        TRY(int, below(path), opened(real(path, flags, mode), path)); \
    }
OPEN(open)
OPEN(open64)

int openat(int folder, const char *path, int flags, ...) {
    REAL(openat);
    va_list more; va_start(more, flags);
    mode_t mode = va_arg(more, mode_t); va_end(more);
    TRY(int, below(path), opened(real(folder, path, flags, mode), path));
}

/* One that fails has let the file go all the same, as Linux does. */
int close(int fd) {
    REAL(close);
    int last, ours = of(fd);
    if (fd >= 0 && fd < FILES) mine[fd] = 0;
    int failed = fails(ours, &last, NULL), why = errno;
    int done = real(fd);
    if (failed) { errno = why; return -1; }
    if (last) raise(SIGKILL);
    return done;
}

ssize_t read(int fd, void *data, size_t n) { REAL(read); TRY(ssize_t, of(fd), real(fd, data, n)); }
ssize_t write(int fd, const void *data, size_t n) { REAL(write); WRITE(of(fd), real(fd, data, n)); }
ssize_t pread(int fd, void *data, size_t n, off_t o) { REAL(pread); TRY(ssize_t, of(fd), real(fd, data, n, o)); }
ssize_t pread64(int fd, void *data, size_t n, off64_t o) { REAL(pread64); TRY(ssize_t, of(fd), real(fd, data, n, o)); }
ssize_t pwrite(int fd, const void *data, size_t n, off_t o) { REAL(pwrite); WRITE(of(fd), real(fd, data, n, o)); }
ssize_t pwrite64(int fd, const void *data, size_t n, off64_t o) { REAL(pwrite64); WRITE(of(fd), real(fd, data, n, o)); }
ssize_t sendfile(int fd, int from, off_t *o, size_t n) { REAL(sendfile); WRITE(of(fd), real(fd, from, o, n)); }
ssize_t sendfile64(int fd, int from, off64_t *o, size_t n) { REAL(sendfile64); WRITE(of(fd), real(fd, from, o, n)); }
int ftruncate(int fd, off_t n) { REAL(ftruncate); TRY(int, of(fd), real(fd, n)); }
int ftruncate64(int fd, off64_t n) { REAL(ftruncate64); TRY(int, of(fd), real(fd, n)); }
int fchmod(int fd, mode_t mode) { REAL(fchmod); TRY(int, of(fd), real(fd, mode)); }
int flock(int fd, int what) { REAL(flock); TRY(int, of(fd), real(fd, what)); }
int fsync(int fd) { REAL(fsync); TRY(int, of(fd), real(fd)); }
int fdatasync(int fd) { REAL(fdatasync); TRY(int, of(fd), real(fd)); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); TRY(int, below(path), real(path, mode)); }
int chmod(const char *path, mode_t mode) { REAL(chmod); TRY(int, below(path), real(path, mode)); }
int stat(const char *path, struct stat *to) { REAL(stat); TRY(int, below(path), real(path, to)); }
int lstat(const char *path, struct stat *to) { REAL(lstat); TRY(int, below(path), real(path, to)); }
int fstat(int fd, struct stat *to) { REAL(fstat); TRY(int, of(fd), real(fd, to)); }
int fstatat(int folder, const char *path, struct stat *to, int flags) {
    REAL(fstatat); TRY(int, below(path), real(folder, path, to, flags));
}
int stat64(const char *path, struct stat64 *to) { REAL(stat64); TRY(int, below(path), real(path, to)); }
int lstat64(const char *path, struct stat64 *to) { REAL(lstat64); TRY(int, below(path), real(path, to)); }
int fstat64(int fd, struct stat64 *to) { REAL(fstat64); TRY(int, of(fd), real(fd, to)); }
int fstatat64(int folder, const char *path, struct stat64 *to, int flags) {
    REAL(fstatat64); TRY(int, below(path), real(folder, path, to, flags));
}
int unlink(const char *path) { REAL(unlink); TRY(int, below(path), real(path)); }
int rename(const char *from, const char *to) { REAL(rename); TRY(int, below(from), real(from, to)); }
int link(const char *from, const char *to) { REAL(link); TRY(int, below(from), real(from, to)); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
    REAL(linkat); TRY(int, below(from), real(a, from, b, to, flags));
}
