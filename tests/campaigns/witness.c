/* Writes down, in order, what a program does to the files below one folder: preloaded into it.

   A record is: kind, path length, name length (rename), offset, data length; then those bytes.
   What power cuts leave of it is worked out afterwards by power.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define FILES 4096
struct __attribute__((packed)) record {
    char kind;
    uint16_t path, name;
    int64_t offset;
    uint32_t length;
};

static char paths[FILES][512];
static const char *root;
static int out = -1;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
    root = getenv("WITNESS_ROOT");
    if (root) out = open(getenv("WITNESS_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void put(const void *bytes, size_t length) {
    REAL(write);
    while (length) {
        ssize_t done = real(out, bytes, length);
        if (done <= 0) abort();
        bytes = (const char *)bytes + done;
        length -= done;
    }
}

static int ours(const char *path) { return out >= 0 && path && !strncmp(path, root, strlen(root)); }
static const char *of(int fd) { return fd >= 0 && fd < FILES && paths[fd][0] ? paths[fd] : NULL; }

static void note(char kind, const char *path, const char *name, int64_t offset, const void *data, size_t length) {
    struct record head = {kind, strlen(path), name ? strlen(name) : 0, offset, length};
    pthread_mutex_lock(&order);
    put(&head, sizeof head);
    put(path, head.path);
    if (name) put(name, head.name);
    if (data) put(data, length);
    pthread_mutex_unlock(&order);
}

static int opened(int fd, const char *path, int flags, int there) {
    if (fd < 0 || fd >= FILES) return fd;
    paths[fd][0] = 0;
    if (!ours(path) || strlen(path) >= sizeof paths[0]) return fd;
    strcpy(paths[fd], path);
    if (!there && (flags & O_CREAT)) note('c', path, NULL, 0, NULL, 0);
    if (flags & O_TRUNC) note('t', path, NULL, 0, NULL, 0);
    return fd;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list more; va_start(more, flags); \
        mode_t mode = va_arg(more, mode_t); va_end(more); \
        int there = ours(path) && !access(path, F_OK); \
        return opened(real(path, flags, mode), path, flags, there); \
    }
OPEN(open)
OPEN(open64)

int openat(int folder, const char *path, int flags, ...) {
    REAL(openat);
    va_list more; va_start(more, flags);
    mode_t mode = va_arg(more, mode_t); va_end(more);
    int there = ours(path) && !access(path, F_OK);
    return opened(real(folder, path, flags, mode), path, flags, there);
}

int close(int fd) {
    REAL(close);
    if (fd >= 0 && fd < FILES) paths[fd][0] = 0;
    return real(fd);
}

ssize_t write(int fd, const void *data, size_t length) {
    REAL(write);
    const char *path = of(fd);
    if (!path) return real(fd, data, length);
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (fcntl(fd, F_GETFL) & O_APPEND) at = lseek(fd, 0, SEEK_END);
    ssize_t done = real(fd, data, length);
    if (done > 0) note('w', path, NULL, at, data, done);
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t at) {
    REAL(pwrite);
    ssize_t done = real(fd, data, length, at);
    if (done > 0 && of(fd)) note('w', of(fd), NULL, at, data, done);
    return done;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at) {
    REAL(pwrite64);
    ssize_t done = real(fd, data, length, at);
    if (done > 0 && of(fd)) note('w', of(fd), NULL, at, data, done);
    return done;
}

int fallocate64(int fd, int mode, off64_t at, off64_t length) { /* only to fill with zeros */
    static const char zeros[1 << 16];
    REAL(fallocate64);
    int done = real(fd, mode, at, length);
    for (off64_t start = 0; !done && of(fd) && start < length; start += sizeof zeros) {
        size_t left = length - start;
        note('w', of(fd), NULL, at + start, zeros, left < sizeof zeros ? left : sizeof zeros);
    }
    return done;
}

#define CUT(name, type) \
    int name(int fd, type length) { \
        REAL(name); \
        int done = real(fd, length); \
        if (!done && of(fd)) note('t', of(fd), NULL, length, NULL, 0); \
        return done; \
    }
CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)

#define SYNC(name) \
    int name(int fd) { \
        REAL(name); \
        int done = real(fd); \
        if (!done && of(fd)) note('s', of(fd), NULL, 0, NULL, 0); \
        return done; \
    }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
    REAL(unlink);
    int done = real(path);
    if (!done && ours(path)) note('u', path, NULL, 0, NULL, 0);
    return done;
}

int rename(const char *from, const char *to) {
    REAL(rename);
    int done = real(from, to);
    if (!done && ours(from)) note('r', from, to, 0, NULL, 0);
    return done;
}
