/* SPDX-License-Identifier: BSD-3-Clause */
/* In builds with --enable-coverage, before _exit() of the command (--wrap of the linker): its child
 * processes write what they counted, too. */
#include <unistd.h>

void __gcov_dump(void);
_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);

_Noreturn void __wrap__exit(int code)
{
    __gcov_dump();
    __real__exit(code);
}
