// Loaded before other libraries (LD_PRELOAD): one call of the C library fails, as on a machine
// whose memory, disk or limits end there.
//
//   CROFT_FAIL       which one: memory, thread, open, read, write, sync, rename, map
//   CROFT_FAIL_AT    its number, from 1 where main() begins
//   CROFT_FAIL_ON    ever after, too, where it is set
//   CROFT_FAIL_TELL  a descriptor that gets one byte when it happens
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace {

std::atomic<bool> armed{false};
std::atomic<long> calls{0};
char kind[16];
long fail_at = 0;
bool ever_after = false;
int tell = -1;

// Whether this call, of that kind, is to fail.
bool fails(const char* of, int reason) {
  if (!armed || std::strcmp(kind, of) != 0) return false;
  const long number = ++calls;
  if (number < fail_at || (number > fail_at && !ever_after)) return false;
  if (number == fail_at && tell >= 0) syscall(SYS_write, tell, "!", 1L);
  errno = reason;
  return true;
}

// The next library's function of that name.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void arm() {
  const char* const what = getenv("CROFT_FAIL");
  if (what == nullptr) return;
  std::strncpy(kind, what, sizeof kind - 1);
  const char* const at = getenv("CROFT_FAIL_AT");
  fail_at = at == nullptr ? 0 : atol(at);
  ever_after = getenv("CROFT_FAIL_ON") != nullptr;
  const char* const to = getenv("CROFT_FAIL_TELL");
  tell = to == nullptr ? -1 : atoi(to);
  armed = true;
}

int (*real_main)(int, char**, char**);

int armed_main(int count, char** words, char** environment) {
  arm();
  return real_main(count, words, environment);
}

}  // namespace

extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

int __libc_start_main(int (*main)(int, char**, char**), int count, char** words, void (*init)(),
                      void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  real_main = main;
  using Start =
      int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(armed_main, count, words, init, fini, rtld_fini,
                                          stack_end);
}

void* malloc(size_t size) { return fails("memory", ENOMEM) ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return fails("memory", ENOMEM) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return fails("memory", ENOMEM) ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return fails("memory", ENOMEM) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  if (fails("memory", ENOMEM)) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*), void* with) {
  if (fails("thread", EAGAIN)) return EAGAIN;
  return next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create")(
      thread, how, run, with);
}

#define CROFT_OPEN(NAME)                                                   \
  int NAME(const char* path, int flags, ...) {                             \
    va_list more;                                                          \
    va_start(more, flags);                                                 \
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                          \
    if (fails("open", EMFILE)) return -1;                                  \
    return next<int(const char*, int, ...)>(#NAME)(path, flags, mode);     \
  }
CROFT_OPEN(open)
CROFT_OPEN(open64)
#undef CROFT_OPEN

FILE* fopen(const char* path, const char* mode) {
  return fails("open", EMFILE) ? nullptr
                               : next<FILE*(const char*, const char*)>("fopen")(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return fails("open", EMFILE) ? nullptr
                               : next<FILE*(const char*, const char*)>("fopen64")(path, mode);
}

ssize_t read(int from, void* to, size_t size) {
  return fails("read", EIO) ? -1 : next<ssize_t(int, void*, size_t)>("read")(from, to, size);
}
ssize_t pread(int from, void* to, size_t size, off_t at) {
  return fails("read", EIO) ? -1
                            : next<ssize_t(int, void*, size_t, off_t)>("pread")(from, to, size, at);
}
ssize_t pread64(int from, void* to, size_t size, off64_t at) {
  return fails("read", EIO)
             ? -1
             : next<ssize_t(int, void*, size_t, off64_t)>("pread64")(from, to, size, at);
}

ssize_t write(int to, const void* from, size_t size) {
  return fails("write", ENOSPC) ? -1
                                : next<ssize_t(int, const void*, size_t)>("write")(to, from, size);
}
ssize_t pwrite64(int to, const void* from, size_t size, off64_t at) {
  return fails("write", ENOSPC)
             ? -1
             : next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64")(to, from, size, at);
}
// What goes to standard output and to logs; messages do not count.
size_t fwrite(const void* from, size_t size, size_t count, FILE* to) {
  if (to != stderr && fails("write", ENOSPC)) return 0;
  return next<size_t(const void*, size_t, size_t, FILE*)>("fwrite")(from, size, count, to);
}
int fflush(FILE* file) {
  if (file != stderr && fails("write", ENOSPC)) return EOF;
  return next<int(FILE*)>("fflush")(file);
}

int fsync(int file) { return fails("sync", EIO) ? -1 : next<int(int)>("fsync")(file); }
int fdatasync(int file) { return fails("sync", EIO) ? -1 : next<int(int)>("fdatasync")(file); }

int rename(const char* from, const char* to) {
  return fails("rename", EACCES) ? -1 : next<int(const char*, const char*)>("rename")(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  return fails("rename", EACCES) ? -1
                                 : next<int(int, const char*, int, const char*, int)>("linkat")(
                                       from_folder, from, to_folder, to, flags);
}

void* mmap(void* at, size_t size, int access, int flags, int file, off_t from) {
  if (file >= 0 && fails("map", ENOMEM)) return MAP_FAILED;
  return next<void*(void*, size_t, int, int, int, off_t)>("mmap")(at, size, access, flags, file,
                                                                  from);
}

}  // extern "C"
