/* Drives a generated reader: `check` answers framed files on standard input, `fuzz N SEED` tries random ones, `time N` measures.
 * Compile with -DID=zrd -DCAPS=ZRD -DHEADER='"zrd.h"'. */
#include HEADER

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)
#define ITEM(what) NAME(ID, what)
#define SIZE(what) NAME(CAPS, what)

enum { ROOM = 4096 };
static ITEM(_finding) found[ROOM];

/* Whether each whole record is written back as the bytes that were read. */
static int same(const uint8_t *data, size_t size)
{
    size_t at, count = ITEM(_count)(data, size);
    for (at = 0; at < count; at++) {
        const uint8_t *bytes = data + SIZE(_HEADER_SIZE) + at * SIZE(_RECORD_SIZE);
        uint8_t again[SIZE(_RECORD_SIZE)];
        ITEM(_record) record;
        ITEM(_read_record)(bytes, &record);
        if (ITEM(_write_record)(&record, again) || memcmp(bytes, again, sizeof again) != 0)
            return 0;
    }
    return 1;
}

static void check(void)
{
    unsigned char frame[4];
    while (fread(frame, 1, 4, stdin) == 4) {
        size_t size = frame[0] | (size_t)frame[1] << 8 | (size_t)frame[2] << 16 | (size_t)frame[3] << 24, at, count;
        /* A block of just this size, so that a sanitizer sees each byte that is read beyond it. */
        uint8_t *data = malloc(size ? size : 1);
        if (!data || fread(data, 1, size, stdin) != size)
            exit(2);
        count = ITEM(_validate)(data, size, found, ROOM);
        for (at = 0; at < count && at < ROOM; at++)
            printf("%s\t%d\t%s\t%ld\t%lu\t%lu\n", found[at].code, found[at].severity, found[at].field, (long)found[at].record,
                   (unsigned long)found[at].start, (unsigned long)found[at].stop);
        printf("= %lu %lu %d\n", (unsigned long)count, (unsigned long)ITEM(_count)(data, size), same(data, size));
        free(data);
    }
}

static void fuzz(unsigned long count, uint64_t state)
{
    while (count--) {
        size_t size, at;
        uint8_t *data;
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size = (size_t)(state >> 33) % 600;
        data = malloc(size ? size : 1);
        if (!data)
            exit(2);
        for (at = 0; at < size; at++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            data[at] = (state >> 60) == 0 ? 0 : (uint8_t)(state >> 33);
        }
        ITEM(_validate)(data, size, found, (size_t)(state >> 40) % 8);
        if (!same(data, size)) {
            fprintf(stderr, "not written back\n");
            exit(1);
        }
        free(data);
    }
}

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void measure(unsigned long count)
{
    size_t size = SIZE(_HEADER_SIZE) + count * SIZE(_RECORD_SIZE), at;
    uint8_t *data = malloc(size), *copy = malloc(size);
    ITEM(_record) record;
    double start;
    unsigned long sum = 0;
    if (!data || !copy)
        exit(2);
    for (at = 0; at < size; at++)
        data[at] = (uint8_t)(at * 2654435761u >> 7 | 1);
    memcpy(copy, data, size);
    start = seconds();
    memcpy(copy, data, size);
    printf("copy %g\n", seconds() - start);
    start = seconds();
    for (at = 0; at < count; at++) {
        ITEM(_read_record)(data + SIZE(_HEADER_SIZE) + at * SIZE(_RECORD_SIZE), &record);
        sum += ((const unsigned char *)&record)[0];
    }
    printf("read %g\n", seconds() - start);
    start = seconds();
    for (at = 0; at < count; at++)
        sum += (unsigned long)ITEM(_write_record)(&record, copy + SIZE(_HEADER_SIZE) + at * SIZE(_RECORD_SIZE));
    printf("write %g\n", seconds() - start);
    start = seconds();
    sum += (unsigned long)ITEM(_validate)(data, size, found, ROOM);
    printf("validate %g\n# %lu\n", seconds() - start, sum);
    free(data);
    free(copy);
}

int main(int count, char **words)
{
    if (count > 3 && strcmp(words[1], "fuzz") == 0)
        fuzz(strtoul(words[2], NULL, 10), strtoul(words[3], NULL, 10));
    else if (count > 2 && strcmp(words[1], "time") == 0)
        measure(strtoul(words[2], NULL, 10));
    else
        check();
    return 0;
}
