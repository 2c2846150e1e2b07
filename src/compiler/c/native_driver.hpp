// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace toroid::compiler {

inline constexpr std::string_view native_call_name = "toroid_native_call";

/// The C program around the user's function. Its arguments are the block's size and, for each region, offset
/// and size; its input is one block a vector. For each it writes a byte that tells whether C defines what the
/// function does, and the block as the function left it. Every run is a process of its own, made twice: once
/// with each region's end at the end of a page and once with its start at the start of one, with nothing
/// around, so that leaving a region in either direction ends it.
inline constexpr std::string_view native_driver = R"(#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

void toroid_native_call(unsigned char **regions);

enum { guard = 1 << 20, most = 1024 };
static size_t block, regions_count, page;
static size_t *offsets, *sizes;
static unsigned char *at[2][most];
static unsigned char *input, *shared;

static void *map(size_t size, int protection, int flags) {
    void *result = mmap(NULL, size, protection, flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (result == MAP_FAILED) _exit(3);
    return result;
}

static void prepare(void) {
    for (int side = 0; side < 2; ++side) {
        for (size_t i = 0; i < regions_count; ++i) {
            size_t whole = (sizes[i] + page - 1) / page * page;
            if (whole == 0) whole = page;
            unsigned char *base = (unsigned char *)map(whole + 2 * (size_t)guard, PROT_NONE, MAP_PRIVATE) + guard;
            if (mprotect(base, whole, PROT_READ | PROT_WRITE) != 0) _exit(3);
            at[side][i] = side == 0 ? base + whole - sizes[i] : base;
        }
    }
}

static int run(int side, unsigned char *result) {
    shared[0] = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) _exit(3);
    if (child == 0) {
        struct itimerval limit = {{0, 0}, {0, 400000}};
        setitimer(ITIMER_VIRTUAL, &limit, NULL);
        for (size_t i = 0; i < regions_count; ++i) memcpy(at[side][i], input + offsets[i], sizes[i]);
        toroid_native_call(at[side]);
        for (size_t i = 0; i < regions_count; ++i) memcpy(shared + 1 + offsets[i], at[side][i], sizes[i]);
        shared[0] = 1;
        _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child) _exit(3);
    memcpy(result, shared + 1, block);
    return shared[0] == 1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int count, char **arguments) {
    block = strtoull(arguments[1], NULL, 10);
    regions_count = (size_t)(count - 2) / 2;
    page = (size_t)sysconf(_SC_PAGESIZE);
    offsets = (size_t *)calloc(regions_count + 1, sizeof *offsets);
    sizes = (size_t *)calloc(regions_count + 1, sizeof *sizes);
    for (size_t i = 0; i < regions_count; ++i) {
        offsets[i] = strtoull(arguments[2 + 2 * i], NULL, 10);
        sizes[i] = strtoull(arguments[3 + 2 * i], NULL, 10);
    }
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    input = (unsigned char *)calloc(block + 1, 1);
    unsigned char *results[2] = {(unsigned char *)calloc(block + 1, 1), (unsigned char *)calloc(block + 1, 1)};
    shared = (unsigned char *)map(block + 1, PROT_READ | PROT_WRITE, MAP_SHARED);
    prepare();
    while (fread(input, 1, block, stdin) == block) {
        memset(shared, 0, block + 1);
        int defined = run(0, results[0]) && run(1, results[1]) && memcmp(results[0], results[1], block) == 0;
        putchar(defined);
        fwrite(results[0], 1, block, stdout);
    }
    return 0;
}
)";

}  // namespace toroid::compiler
