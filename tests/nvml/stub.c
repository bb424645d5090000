/* A stand-in for NVIDIA's library, for tests: what it answers stands in the environment.
 *
 * STUB_INIT        status of nvmlInit_v2 (0)
 * STUB_COUNT       cards (1)
 * STUB_NAME_i, STUB_TOTAL_i, STUB_USED_i, STUB_RESERVED_i (MiB), STUB_BUSY_i (percent), STUB_ECC_i, STUB_DISPLAY_i
 * STUB_COMPUTE_i, STUB_GRAPHICS_i   processes, "pid:MiB pid:-1"
 * STUB_MIG_i       MiB of the instances, "20096 20096"; set and empty for a card that is on without one
 * STUB_LOST_i      the card does not answer
 *
 * -DNO_V2 leaves nvmlDeviceGetMemoryInfo_v2 out, as drivers before 510 do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long u64;
typedef struct { unsigned version; u64 total, reserved, free, used; } Memory;
typedef struct { unsigned pid; u64 used; unsigned instance, compute; } Process;

enum { OK = 0, INVALID = 2, UNSUPPORTED = 3, MISSING = 6, SMALL = 7, LOST = 15 };

/* A handle holds the number of the card plus 1, and in the upper bits that of the instance plus 1. */
static unsigned card(void *handle) { return ((unsigned)(size_t)handle & 255) - 1; }
static unsigned instance(void *handle) { return (unsigned)(size_t)handle >> 8; }

static const char *text(const char *what, unsigned index) {
    char name[64];
    snprintf(name, sizeof name, "STUB_%s_%u", what, index);
    return getenv(name);
}

static long number(const char *what, unsigned index, long otherwise) {
    const char *value = text(what, index);
    return value ? atol(value) : otherwise;
}

static long nth(const char *list, unsigned index) {
    for (; list && *list; list = strchr(list, ' ') ? strchr(list, ' ') + 1 : NULL)
        if (index-- == 0) return atol(list);
    return -1;
}

int nvmlInit_v2(void) { return getenv("STUB_INIT") ? atoi(getenv("STUB_INIT")) : OK; }
int nvmlShutdown(void) { return OK; }
int nvmlSystemGetDriverVersion(char *out, unsigned size) { return snprintf(out, size, "570.86.15"), OK; }
int nvmlSystemGetCudaDriverVersion_v2(int *out) { return *out = 12080, OK; }
int nvmlSystemGetProcessName(unsigned pid, char *out, unsigned size) {
    return pid == 4242 ? (snprintf(out, size, "/usr/bin/stranger"), OK) : MISSING;
}
int nvmlDeviceGetCount_v2(unsigned *out) { return *out = getenv("STUB_COUNT") ? atoi(getenv("STUB_COUNT")) : 1, OK; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out) {
    *out = (void *)(size_t)(index + 1);
    return text("LOST", index) ? LOST : OK;
}
int nvmlDeviceGetName(void *device, char *out, unsigned size) {
    const char *name = text("NAME", card(device));
    return snprintf(out, size, "%s", name ? name : "NVIDIA A100-SXM4-40GB"), OK;
}
int nvmlDeviceGetUUID(void *device, char *out, unsigned size) {
    if (instance(device)) snprintf(out, size, "MIG-%u%u-0000", card(device), instance(device) - 1);
    else snprintf(out, size, "GPU-%u-0000", card(device));
    return OK;
}
int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor) { return *major = 8, *minor = 0, OK; }
int nvmlDeviceGetUtilizationRates(void *device, unsigned out[2]) {
    if (text("MIG", card(device))) return UNSUPPORTED;
    return out[0] = number("BUSY", card(device), 50), out[1] = 7, OK;
}
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *out) { return *out = 41, OK; }
int nvmlDeviceGetPowerUsage(void *device, unsigned *out) { return *out = 61500, OK; }
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *out) { return *out = 400000, OK; }
int nvmlDeviceGetDisplayActive(void *device, int *out) { return *out = number("DISPLAY", card(device), 0), OK; }
int nvmlDeviceGetEccMode(void *device, int *now, int *later) { return *now = *later = number("ECC", card(device), 0), OK; }

#ifndef NO_V2
int nvmlDeviceGetMemoryInfo_v2(void *device, Memory *out) {
    unsigned index = card(device);
    if (out->version != (sizeof *out | 2u << 24)) return INVALID;
    long total = number("TOTAL", index, 40960), used = number("USED", index, 0), reserved = number("RESERVED", index, 0);
    if (instance(device)) total = nth(text("MIG", index), instance(device) - 1), used = reserved = 0;
    out->total = (u64)total << 20, out->used = (u64)used << 20, out->reserved = (u64)reserved << 20;
    out->free = out->total - out->used - out->reserved;
    return OK;
}
#endif

static int list(const char *what, void *device, unsigned *count, Process *out) {
    unsigned room = *count, found = 0;
    const char *at = instance(device) ? NULL : text(what, card(device));
    for (; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL, found++) {
        if (found >= room) continue;
        long held = atol(strchr(at, ':') + 1);
        out[found] = (Process){atol(at), held < 0 ? ~0ull : (u64)held << 20, ~0u, ~0u};
    }
    *count = found;
    return found > room ? SMALL : OK;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, Process *out) {
    return list("COMPUTE", device, count, out);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *count, Process *out) {
    return list("GRAPHICS", device, count, out);
}

int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *later) {
    *now = *later = text("MIG", card(device)) != NULL;
    return OK;
}
int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *out) { return *out = 7, OK; }
int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index, void **out) {
    *out = (void *)((size_t)device | (size_t)(index + 1) << 8);
    return nth(text("MIG", card(device)), index) < 0 ? MISSING : OK;
}
