"""Templates for the parts of a C reader that differ between schemas only in names and numbers."""

from __future__ import annotations

from collections.abc import Mapping

HEADER = """\
/* Reader, validator and writer of files of one format, made by bridgespec. C99; nothing is allocated, nothing is global.
 *
 * A file is a header of {ID}_HEADER_SIZE bytes and records of {ID}_RECORD_SIZE bytes. {id}_count returns the number of complete
 * records. {id}_read_record decodes the bytes of a record to a struct, and {id}_write_record encodes a struct. {id}_validate checks
 * a whole file: it returns the number of findings, and stores the first `room` of them.
 */
#ifndef {ID}_H
#define {ID}_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

enum {{ {ID}_HEADER_SIZE = {header}, {ID}_RECORD_SIZE = {record} }};
enum {{ {ID}_ERROR, {ID}_WARNING, {ID}_NOTE }};

{structs}
/* One finding: its code, its severity, the field (with dots; "" for a whole record or file), the record (-1 for none), and the bits
 * from `start` to `stop`, counted from the start of the file. */
typedef struct {{
    const char *code;
    const char *field;
    int severity;
    int64_t record;
    uint64_t start;
    uint64_t stop;
}} {id}_finding;

/* The number of complete records before the end of the list. */
size_t {id}_count(const uint8_t *data, size_t size);

{functions}
size_t {id}_validate(const uint8_t *data, size_t size, {id}_finding *findings, size_t room);

#ifdef __cplusplus
}}
#endif
#endif
"""
STRUCT = """\
/* The fields of {what}. */
typedef struct {{
{members}}} {id}_{what};
"""
FUNCTIONS = """\
/* Set the constants of {what}, and all other fields to zero. */
void {id}_init_{what}({id}_{what} *out);
/* Read {ID}_{WHAT}_SIZE bytes. */
void {id}_read_{what}(const uint8_t *bytes, {id}_{what} *out);
/* Write {ID}_{WHAT}_SIZE bytes. Returns 0; if the value of a field is too large for its bits, the number of the first such field
 * (from 1), and writes nothing. */
int {id}_write_{what}(const {id}_{what} *in, uint8_t *bytes);
"""
HEAD = """\
/* Made by bridgespec: see the header. */
#include "{id}.h"

#include <string.h>
"""
HELPERS: Mapping[str, str] = {
    "low_bits": """\
/* The integer of `width` bits, up to 64, from bit `bit` on; bits are numbered from the low or from the high end of each byte. */
static uint64_t low_bits(const uint8_t *bytes, size_t bit, unsigned width)
{
    size_t first = bit / 8, last = (bit + width - 1) / 8, at;
    uint64_t value = 0;
    for (at = last; at > first; at--) {
        uint64_t byte = bytes[at];
        unsigned shift = (unsigned)(8 * (at - first) - bit % 8);
        value |= byte << shift;
    }
    value |= (uint64_t)bytes[first] >> (bit % 8);
    return width == 64 ? value : value & (((uint64_t)1 << width) - 1);
}
""",
    "high_bits": """\
static uint64_t high_bits(const uint8_t *bytes, size_t bit, unsigned width)
{
    uint64_t value = 0;
    unsigned done = 0;
    while (done < width) {
        unsigned within = (unsigned)((bit + done) % 8), part = 8 - within;
        unsigned byte = bytes[(bit + done) / 8] & (0xffu >> within);
        if (part > width - done) {
            byte >>= part - (width - done);
            part = width - done;
        }
        value = value << part | byte;
        done += part;
    }
    return value;
}
""",
    "put_low_bits": """\
static void put_low_bits(uint8_t *bytes, size_t bit, unsigned width, uint64_t value)
{
    unsigned done = 0;
    while (done < width) {
        unsigned within = (unsigned)((bit + done) % 8), part = 8 - within;
        if (part > width - done)
            part = width - done;
        bytes[(bit + done) / 8] |= (uint8_t)((value >> done & (0xffu >> (8 - part))) << within);
        done += part;
    }
}
""",
    "put_high_bits": """\
static void put_high_bits(uint8_t *bytes, size_t bit, unsigned width, uint64_t value)
{
    unsigned done = 0;
    while (done < width) {
        unsigned within = (unsigned)((bit + done) % 8), part = 8 - within;
        if (part > width - done)
            part = width - done;
        bytes[(bit + done) / 8] |= (uint8_t)((value >> (width - done - part) & (0xffu >> (8 - part))) << (8 - within - part));
        done += part;
    }
}
""",
    "divided": """\
/* Quotient and remainder as in schemas: the quotient is rounded down; for a positive divisor. */
static int64_t divided(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-(a + 1)) / b) - 1; }
""",
    "rest": """\
static int64_t rest(int64_t a, int64_t b) { return a - b * divided(a, b); }
""",
}
"""C functions by name; a source includes those that it calls."""
FINDINGS = """\
typedef struct {{
    {id}_finding *findings;
    size_t room, count, first;
}} found_list;

/* Add a finding, unless the record has one with the same code and bits already. */
static void add(found_list *list, const char *code, int severity, const char *field, int64_t record, uint64_t start, uint64_t stop)
{{
    size_t at;
    for (at = list->first; at < list->count && at < list->room; at++) {{
        const {id}_finding *one = &list->findings[at];
        if (one->start == start && one->stop == stop && strcmp(one->code, code) == 0)
            return;
    }}
    if (list->count < list->room) {{
        {id}_finding *one = &list->findings[list->count];
        one->code = code;
        one->field = field;
        one->severity = severity;
        one->record = record;
        one->start = start;
        one->stop = stop;
    }}
    list->count++;
}}
"""
