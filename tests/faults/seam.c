// What tests put between the program and the system (LD_PRELOAD): it counts the calls that touch files of one folder, and
// starts of threads, and has one of them fail, or all from it on, or ends the process there as a loss of power would.
//
//   SEAM_FOLDER   the folder whose files count, links resolved; the program is started in it
//   SEAM_LOG      a file that gets a line per call, its kind
//   SEAM_AT       the number of the call to fail, from 1; none fails without it
//   SEAM_FAULT    the number of the error; or `kill`, or `term`, which asks the process to end and has the call succeed
//   SEAM_ON       all calls from that one on fail
//   SEAM_RECORD   a file that gets all changes of files: a line `kind file place lengths`, and what has these lengths: one path, a
//                 second one, bytes
//   SEAM_HOLD     `kind name number`: the call of this kind on a path with this name that has this number waits, as long as the file
//                 SEAM_HELD is there, which it makes
//   SEAM_MEMORY   the number of the allocation to fail, from 1 after the program has begun to hear signals; SEAM_ON holds
//                 for it too
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 4096 };

static char folder[PATH_MAX];
static size_t folder_length;
static int log_file = -1, record_file = -1;
static pthread_mutex_t recording = PTHREAD_MUTEX_INITIALIZER;
static long fail_at, memory_at;
static int fault, is_kill, is_term, goes_on;
static char hold_kind[16], hold_name[128], held_path[PATH_MAX];
static long hold_at;
static atomic_long holds;
static atomic_long calls, allocations;
static atomic_int is_ready, hears_signals;
// Whether an open file is one of the folder.
static atomic_char counts[FILES];

#define NEXT(name) \
    static __typeof__(name) *next; \
    if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int real_open(const char *path, int flags, mode_t mode) {
    static int (*next)(const char *, int, ...);
    if (!next) next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
    return next(path, flags, mode);
}

static ssize_t real_write(int file, const void *bytes, size_t length) {
    NEXT(write);
    return next(file, bytes, length);
}

__attribute__((constructor)) static void begin(void) {
    const char *text;
    if ((text = getenv("SEAM_FOLDER"))) {
        snprintf(folder, sizeof folder, "%s", text);
        folder_length = strlen(folder);
    }
    if ((text = getenv("SEAM_LOG"))) log_file = real_open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if ((text = getenv("SEAM_RECORD"))) record_file = real_open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if ((text = getenv("SEAM_AT"))) fail_at = atol(text);
    if ((text = getenv("SEAM_MEMORY"))) memory_at = atol(text);
    if ((text = getenv("SEAM_FAULT"))) {
        is_kill = strcmp(text, "kill") == 0;
        is_term = strcmp(text, "term") == 0;
        fault = atoi(text);
    }
    if ((text = getenv("SEAM_HOLD"))) sscanf(text, "%15s %127s %ld", hold_kind, hold_name, &hold_at);
    if ((text = getenv("SEAM_HELD"))) snprintf(held_path, sizeof held_path, "%s", text);
    goes_on = getenv("SEAM_ON") != NULL;
    is_ready = 1;
}

// Notes a change. Whoever makes one holds the lock, so that changes are noted in their order.
static void record(const char *kind, int file, long place, const char *from, const char *to, const void *bytes, size_t length) {
    if (record_file < 0) return;
    char line[128];
    size_t from_length = from ? strlen(from) : 0, to_length = to ? strlen(to) : 0;
    int size = snprintf(line, sizeof line, "%s %d %ld %zu %zu %zu\n", kind, file, place, from_length, to_length, length);
    real_write(record_file, line, (size_t)size);
    if (from_length) real_write(record_file, from, from_length);
    if (to_length) real_write(record_file, to, to_length);
    if (length) real_write(record_file, bytes, length);
}

static void begin_change(void) {
    if (record_file >= 0) pthread_mutex_lock(&recording);
}

static void end_change(void) {
    int error = errno;
    if (record_file >= 0) pthread_mutex_unlock(&recording);
    errno = error;
}

// Counts a call; whether it is to fail.
static int fails(const char *kind) {
    if (!is_ready) return 0;
    if (log_file >= 0) {
        char line[32];
        real_write(log_file, line, (size_t)snprintf(line, sizeof line, "%s\n", kind));
    }
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (!fail_at || number < fail_at || (number > fail_at && !goes_on)) return 0;
    if (is_kill) kill(getpid(), SIGKILL);
    if (is_term) kill(getpid(), SIGTERM);
    return !is_term;
}

// Waits in the call that is to be held.
static void hold(const char *kind, const char *path) {
    if (!hold_at || strcmp(kind, hold_kind) != 0 || !strstr(path, hold_name)) return;
    if (atomic_fetch_add(&holds, 1) + 1 != hold_at) return;
    close(real_open(held_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    while (access(held_path, F_OK) == 0) usleep(1000);
}

static void hold_write(int file) {
    char link[64], path[PATH_MAX];
    if (!hold_at) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    hold("write", path);
}

// Relative paths are those of the folder, in which the program is started.
static int is_below(const char *path) {
    return folder_length && path && (path[0] != '/' || strncmp(path, folder, folder_length) == 0);
}

static int is_counted(int file) { return file >= 0 && file < FILES && counts[file]; }

static int opened(int file, int is_counted) {
    if (file >= 0 && file < FILES) counts[file] = (char)is_counted;
    return file;
}

#define FAIL(result) do { errno = fault; return result; } while (0)

static int open_counted(const char *path, int flags, mode_t mode) {
    int below = is_below(path);
    if (below) hold("open", path);
    if (below && fails("open")) FAIL(-1);
    begin_change();
    int file = opened(real_open(path, flags, mode), below);
    // A file without a name leaves nothing behind.
    if (below && file >= 0 && (flags & O_TMPFILE) != O_TMPFILE) {
        record(flags & O_CREAT ? "create" : "open", file, (flags & O_TRUNC) != 0, path, NULL, NULL, 0);
    }
    end_change();
    return file;
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return open_counted(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return open_counted(path, flags, mode);
}

DIR *opendir(const char *path) {
    NEXT(opendir);
    if (is_below(path) && fails("open")) FAIL(NULL);
    return next(path);
}

int close(int file) {
    NEXT(close);
    if (file >= 0 && file < FILES) counts[file] = 0;
    return next(file);
}

ssize_t write(int file, const void *bytes, size_t length) {
    if (is_counted(file)) hold_write(file);
    if (is_counted(file) && fails("write")) {
        // A disk that fills up takes a part first.
        if (fault == ENOSPC && length > 1) real_write(file, bytes, length / 2);
        FAIL(-1);
    }
    if (!is_counted(file)) return real_write(file, bytes, length);
    begin_change();
    ssize_t written = real_write(file, bytes, length);
    if (written > 0) record("write", file, (long)lseek(file, 0, SEEK_CUR) - written, NULL, NULL, bytes, (size_t)written);
    end_change();
    return written;
}

int fsync(int file) {
    NEXT(fsync);
    if (!is_counted(file)) return next(file);
    if (fails("fsync")) FAIL(-1);
    begin_change();
    int result = next(file);
    if (result == 0) record("fsync", file, 0, NULL, NULL, NULL, 0);
    end_change();
    return result;
}

int fdatasync(int file) {
    NEXT(fdatasync);
    if (is_counted(file) && fails("fsync")) FAIL(-1);
    return next(file);
}

int ftruncate64(int file, off64_t length) {
    NEXT(ftruncate64);
    if (!is_counted(file)) return next(file, length);
    if (fails("ftruncate")) FAIL(-1);
    begin_change();
    int result = next(file, length);
    if (result == 0) record("truncate", file, (long)length, NULL, NULL, NULL, 0);
    end_change();
    return result;
}

int rename(const char *from, const char *to) {
    NEXT(rename);
    if (!is_below(from) && !is_below(to)) return next(from, to);
    hold("rename", to);
    if (fails("rename")) FAIL(-1);
    begin_change();
    int result = next(from, to);
    if (result == 0) record("rename", -1, 0, from, to, NULL, 0);
    end_change();
    return result;
}

int unlink(const char *path) {
    NEXT(unlink);
    if (!is_below(path)) return next(path);
    if (fails("unlink")) FAIL(-1);
    begin_change();
    int result = next(path);
    if (result == 0) record("unlink", -1, 0, path, NULL, NULL, 0);
    end_change();
    return result;
}

int mkdir(const char *path, mode_t mode) {
    NEXT(mkdir);
    if (!is_below(path)) return next(path, mode);
    hold("mkdir", path);
    if (fails("mkdir")) FAIL(-1);
    begin_change();
    int result = next(path, mode);
    if (result == 0) record("mkdir", -1, 0, path, NULL, NULL, 0);
    end_change();
    return result;
}

int rmdir(const char *path) {
    NEXT(rmdir);
    if (!is_below(path)) return next(path);
    if (fails("rmdir")) FAIL(-1);
    begin_change();
    int result = next(path);
    if (result == 0) record("rmdir", -1, 0, path, NULL, NULL, 0);
    end_change();
    return result;
}

static void *map_counted(void *at, size_t length, int protection, int flags, int file, off_t offset, const char *name) {
    static void *(*next)(void *, size_t, int, int, int, off_t);
    if (!next) next = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, name);
    if (!(flags & MAP_ANONYMOUS) && is_counted(file) && fails("mmap")) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return next(at, length, protection, flags, file, offset);
}

void *mmap(void *at, size_t length, int protection, int flags, int file, off_t offset) {
    return map_counted(at, length, protection, flags, file, offset, "mmap");
}

void *mmap64(void *at, size_t length, int protection, int flags, int file, off64_t offset) {
    return map_counted(at, length, protection, flags, file, offset, "mmap");
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *data) {
    NEXT(pthread_create);
    hold("thread", "thread");
    return fails("thread") ? EAGAIN : next(thread, attributes, work, data);
}

// Before the program hears signals, the start of the language allocates, and no program can have a say.
int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
    NEXT(sigaction);
    int result = next(number, action, before);
    if (number == SIGTERM && action) hears_signals = 1;
    return result;
}

// Whether an allocation is to fail.
static int is_refused(void) {
    if (!memory_at || !hears_signals) return 0;
    long number = atomic_fetch_add(&allocations, 1) + 1;
    if (number < memory_at || (number > memory_at && !goes_on)) return 0;
    errno = ENOMEM;
    return 1;
}

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) { return is_refused() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return is_refused() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return is_refused() ? NULL : __libc_realloc(old, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (is_refused()) return ENOMEM;
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}
