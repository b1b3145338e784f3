/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into a program that uses PETSc: the call of PETSc by Perp that PERP_FAIL_PETSC counts
 * to fails, once, with one of four error codes; failing_petsc() says the same from within the
 * program. The functions have whole numbers and pointers alone, up to nine, which are handed on as
 * they lie in registers and on the stack. */
#define _GNU_SOURCE
#include <stdarg.h>

#include "tests/torture/failing_place.h"

int failing_petsc(long place);

__attribute__((constructor)) static void begin(void)
{
    place_begin("PERP_FAIL_PETSC");
}

/* From here on; 1: the place was come to since the call before. */
int failing_petsc(long place)
{
    int reached = state.active && state.seen >= state.fail_at;
    memset(state.place, 0, sizeof state.place);
    state.seen = 0;
    state.fail_at = place;
    state.active = place > 0;
    return reached;
}

/* Out of memory, not supported, sizes, of a library that it calls. */
static int code(void)
{
    static const int codes[] = {55, 56, 60, 76};
    return codes[state.fail_at % 4];
}

typedef int (*petsc_call)(long, long, long, long, long, long, long, long, long);
#define CAN_FAIL(name)                                                                             \
    int name(long a, long b, long c, long d, long e, long f, long g, long h, long i);              \
    int name(long a, long b, long c, long d, long e, long f, long g, long h, long i)               \
    {                                                                                              \
        return place_fails()                                                                       \
                   ? code()                                                                        \
                   : ((petsc_call)(uintptr_t)dlsym(RTLD_NEXT, #name))(a, b, c, d, e, f, g, h, i);  \
    }

/* Of PetscMalloc1() to PetscMalloc7(), by PETSc itself, too. */
int PetscMallocA(int n, int clear, int line, const char *function, const char *file, ...);
int PetscMallocA(int n, int clear, int line, const char *function, const char *file, ...)
{
    typedef int (*allocate)(int, int, int, const char *, const char *, ...);
    size_t bytes[7] = {0};
    void *to[7] = {NULL};
    va_list rest;
    if (place_fails())
        return 55;
    va_start(rest, file);
    for (int k = 0; k < n && k < 7; k++) {
        bytes[k] = va_arg(rest, size_t);
        to[k] = va_arg(rest, void *);
    }
    va_end(rest);
    return ((allocate)(uintptr_t)dlsym(RTLD_NEXT, "PetscMallocA"))(
        n, clear, line, function, file, bytes[0], to[0], bytes[1], to[1], bytes[2], to[2], bytes[3],
        to[3], bytes[4], to[4], bytes[5], to[5], bytes[6], to[6]);
}

CAN_FAIL(ISCreateBlock)
CAN_FAIL(ISCreateGeneral)
CAN_FAIL(ISCreateStride)
CAN_FAIL(ISDestroy)
CAN_FAIL(ISGetIndices)
CAN_FAIL(ISGetLocalSize)
CAN_FAIL(ISPartitioningCount)
CAN_FAIL(ISPartitioningToNumbering)
CAN_FAIL(ISRestoreIndices)
CAN_FAIL(MatConvert)
CAN_FAIL(MatCreate)
CAN_FAIL(MatCreateMPIAIJWithArrays)
CAN_FAIL(MatCreateMPIAdj)
CAN_FAIL(MatCreateSubMatrices)
CAN_FAIL(MatCreateVecs)
CAN_FAIL(MatDestroy)
CAN_FAIL(MatDestroySubMatrices)
CAN_FAIL(MatGetBlockSize)
CAN_FAIL(MatGetDiagonal)
CAN_FAIL(MatGetLocalSize)
CAN_FAIL(MatGetOwnershipRange)
CAN_FAIL(MatGetRow)
CAN_FAIL(MatGetSize)
CAN_FAIL(MatInvertBlockDiagonal)
CAN_FAIL(MatMPIAIJSetPreallocationCSR)
CAN_FAIL(MatMult)
CAN_FAIL(MatPartitioningApply)
CAN_FAIL(MatPartitioningCreate)
CAN_FAIL(MatPartitioningDestroy)
CAN_FAIL(MatPartitioningSetAdjacency)
CAN_FAIL(MatPartitioningSetNParts)
CAN_FAIL(MatPartitioningSetType)
CAN_FAIL(MatPartitioningSetVertexWeights)
CAN_FAIL(MatRestoreRow)
CAN_FAIL(MatSeqAIJSetPreallocationCSR)
CAN_FAIL(MatSetBlockSize)
CAN_FAIL(MatSetPreallocationCOO)
CAN_FAIL(MatSetSizes)
CAN_FAIL(MatSetType)
CAN_FAIL(MatSetValuesCOO)
CAN_FAIL(MatTranspose)
CAN_FAIL(PetscInitializeNoArguments)
CAN_FAIL(PetscObjectGetComm)
CAN_FAIL(PetscObjectSetName)
CAN_FAIL(PetscOptionsSetValue)
CAN_FAIL(PetscSortInt)
CAN_FAIL(PetscSortRemoveDupsInt)
CAN_FAIL(PetscViewerDestroy)
CAN_FAIL(PetscViewerHDF5Open)
CAN_FAIL(PetscViewerHDF5PopGroup)
CAN_FAIL(PetscViewerHDF5PushGroup)
CAN_FAIL(PetscViewerHDF5WriteAttribute)
CAN_FAIL(VecCopy)
CAN_FAIL(VecCreate)
CAN_FAIL(VecCreateMPI)
CAN_FAIL(VecCreateSeq)
CAN_FAIL(VecDestroy)
CAN_FAIL(VecDuplicate)
CAN_FAIL(VecGetArray)
CAN_FAIL(VecGetArrayRead)
CAN_FAIL(VecGetLocalSize)
CAN_FAIL(VecGetOwnershipRange)
CAN_FAIL(VecGetOwnershipRanges)
CAN_FAIL(VecGetSize)
CAN_FAIL(VecRestoreArray)
CAN_FAIL(VecRestoreArrayRead)
CAN_FAIL(VecScatterBegin)
CAN_FAIL(VecScatterCreate)
CAN_FAIL(VecScatterDestroy)
CAN_FAIL(VecScatterEnd)
CAN_FAIL(VecSetBlockSize)
CAN_FAIL(VecSetSizes)
CAN_FAIL(VecSetType)
CAN_FAIL(VecView)
