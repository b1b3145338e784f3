/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sized.h"

#include <string.h>

static int is_size(size_t size)
{
    return size >= sizeof(size_t) && size <= PERP_SIZED_MOST;
}

size_t perp_sized_claim(const void *sized)
{
    size_t size = 0;
    if (sized)
        memcpy(&size, sized, sizeof size);
    return is_size(size) ? size : 0;
}

perp_status perp_sized_read(void *own, size_t own_size, const void *callers)
{
    size_t size = perp_sized_claim(callers);
    if (size == 0)
        return PERP_ERR_ARGUMENT;
    for (size_t k = own_size; k < size; k++)
        if (((const unsigned char *)callers)[k] != 0)
            return PERP_ERR_ARGUMENT;
    memcpy(own, callers, size < own_size ? size : own_size);
    memcpy(own, &own_size, sizeof own_size);
    return PERP_SOLVED;
}

perp_status perp_sized_write(void *callers, const void *own, size_t own_size)
{
    const size_t first = sizeof(size_t);
    size_t size = perp_sized_claim(callers);
    if (size == 0)
        return PERP_ERR_ARGUMENT;
    size_t both = size < own_size ? size : own_size;
    memcpy((char *)callers + first, (const char *)own + first, both - first);
    memset((char *)callers + both, 0, size - both);
    return PERP_SOLVED;
}

void perp_sized_init(void *callers, size_t size, const void *own, size_t own_size)
{
    if (!callers || !is_size(size))
        return;
    memcpy(callers, &size, sizeof size);
    perp_sized_write(callers, own, own_size);
}

int perp_sized_has(const void *callers, size_t offset, size_t bytes)
{
    return offset + bytes <= perp_sized_claim(callers);
}
