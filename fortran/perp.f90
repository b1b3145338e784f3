! SPDX-License-Identifier: BSD-3-Clause
! Perp from Fortran: problems, solver handles, settings, residuals, and scenes that run.
!
! The module is installed as its source, since module files belong to one compiler:
!
!     gfortran $(pkg-config --variable=fortrandir perp-numerics)/perp.f90 mine.f90 \
!         $(pkg-config --libs perp-scene)
!
! The calls are those of the headers in C, which are the manual; arrays are borrowed as there, and have
! to have the attribute target.  Index arrays count from 0.
module perp
    use, intrinsic :: iso_c_binding
    implicit none
    private

    integer(c_int), parameter, public :: perp_solved = 0, perp_iteration_limit = 1, perp_time_limit = 2, &
        perp_stalled = 3, perp_ray = 4, perp_infeasible = 5, perp_interrupted = 6
    ! Sets; the number of rows of a block is the field dim of a segment.
    integer(c_int), parameter, public :: perp_free = 0, perp_nonneg = 1, perp_box = 2, perp_tresca = 3, &
        perp_coulomb = 4, perp_soc = 5, perp_rolling = 6

    ! perp_mat: written by the init calls alone.
    type, bind(C), public :: perp_mat
        integer(c_int) :: kind = 0, rows = 0, cols = 0
        integer(c_int) :: padding = 0
        integer(c_int64_t) :: view(6) = 0
    end type

    type, bind(C), public :: perp_segment
        integer(c_int) :: set = 0, dim = 1, count = 0
        type(c_ptr) :: par(3) = c_null_ptr
        integer(c_int) :: stride(3) = 0
    end type

    type, bind(C), public :: perp_problem
        type(perp_mat) :: M
        type(c_ptr) :: q = c_null_ptr, seg = c_null_ptr
        integer(c_int) :: nseg = 0
    end type

    type, bind(C), public :: perp_residuals
        integer(c_size_t) :: size = 128
        real(c_double) :: natural = 0, scaled = 0, primal = 0, dual = 0, gap = 0, reserved(10) = 0
    end type

    ! Space for perp_settings of this release and later ones: filled by perp_defaults(), changed by perp_set().
    type, bind(C), public :: perp_settings
        integer(c_int64_t) :: space(512) = 0
    end type

    public :: perp_mat_init_dense, perp_mat_init_csc, perp_mat_init_bsr, perp_solver_setup, perp_solver_update, &
        perp_solver_update_q, perp_solver_solve, perp_solver_destroy, perp_residual, perp_create, perp_defaults, &
        perp_set, perp_text, perp_make_problem, perp_solve_problem, perp_run_scene

    interface
        integer(c_int) function perp_mat_init_dense(A, rows, cols, x, ld) bind(C)
            import
            type(perp_mat), intent(inout) :: A
            integer(c_int), value :: rows, cols, ld
            real(c_double), intent(in) :: x(*)
        end function
        integer(c_int) function perp_mat_init_csc(A, rows, cols, colptr, row, x) bind(C)
            import
            type(perp_mat), intent(inout) :: A
            integer(c_int), value :: rows, cols
            integer(c_int), intent(in) :: colptr(*), row(*)
            real(c_double), intent(in) :: x(*)
        end function
        integer(c_int) function perp_mat_init_bsr(A, block_rows, block, rowptr, col, x) bind(C)
            import
            type(perp_mat), intent(inout) :: A
            integer(c_int), value :: block_rows, block
            integer(c_int), intent(in) :: rowptr(*), col(*)
            real(c_double), intent(in) :: x(*)
        end function
        integer(c_int) function perp_solver_setup(solver, problem) bind(C)
            import
            type(c_ptr), value :: solver
            type(perp_problem), intent(in) :: problem
        end function
        integer(c_int) function perp_solver_update(solver, problem) bind(C)
            import
            type(c_ptr), value :: solver
            type(perp_problem), intent(in) :: problem
        end function
        integer(c_int) function perp_solver_update_q(solver, q) bind(C)
            import
            type(c_ptr), value :: solver
            real(c_double), intent(in) :: q(*)
        end function
        integer(c_int) function solver_solve(solver, z, w, info) bind(C, name="perp_solver_solve")
            import
            type(c_ptr), value :: solver, info
            real(c_double), intent(inout) :: z(*), w(*)
        end function
        subroutine perp_solver_destroy(solver) bind(C)
            import
            type(c_ptr), value :: solver
        end subroutine
        integer(c_int) function solver_create(solver, kind, settings, allocator, where) &
            bind(C, name="perp_solver_create")
            import
            type(c_ptr), intent(out) :: solver
            type(c_ptr), value :: kind, allocator, where
            type(perp_settings), intent(in) :: settings
        end function
        type(c_ptr) function solver_find(name) bind(C, name="perp_solver_find")
            import
            character(kind=c_char), intent(in) :: name(*)
        end function
        integer(c_int) function solve_once(solver, problem, settings, z, w, info) bind(C, name="perp_solve")
            import
            type(c_ptr), value :: solver, info
            type(perp_problem), intent(in) :: problem
            type(perp_settings), intent(in) :: settings
            real(c_double), intent(inout) :: z(*), w(*)
        end function
        integer(c_int) function residual_of(problem, z, allocator, w, residuals) bind(C, name="perp_residual")
            import
            type(perp_problem), intent(in) :: problem
            real(c_double), intent(in) :: z(*)
            type(c_ptr), value :: allocator, w
            type(perp_residuals), intent(inout) :: residuals
        end function
        subroutine settings_init(settings, size) bind(C, name="perp_settings_init")
            import
            type(perp_settings), intent(inout) :: settings
            integer(c_size_t), value :: size
        end subroutine
        integer(c_int) function settings_set(settings, name, value) bind(C, name="perp_settings_set")
            import
            type(perp_settings), intent(inout) :: settings
            character(kind=c_char), intent(in) :: name(*), value(*)
        end function
        type(c_ptr) function status_text(status) bind(C, name="perp_status_text")
            import
            integer(c_int), value :: status
        end function
        integer(c_size_t) function length_of(text) bind(C, name="strlen")
            import
            type(c_ptr), value :: text
        end function
        integer(c_int) function scene_from_file(scene, path, options, allocator, error) &
            bind(C, name="perp_scene_create_from_file")
            import
            type(c_ptr), intent(out) :: scene
            character(kind=c_char), intent(in) :: path(*)
            type(c_ptr), value :: options, allocator, error
        end function
        integer(c_int) function scene_run(scene, options, info) bind(C, name="perp_scene_run")
            import
            type(c_ptr), value :: scene, options, info
        end function
        subroutine scene_destroy(scene) bind(C, name="perp_scene_destroy")
            import
            type(c_ptr), value :: scene
        end subroutine
    end interface

contains

    ! M, q and segments as a problem; they have to live as long as it does.
    function perp_make_problem(M, q, segments) result(problem)
        type(perp_mat), intent(in) :: M
        real(c_double), intent(in), target :: q(:)
        type(perp_segment), intent(in), target :: segments(:)
        type(perp_problem) :: problem
        problem%M = M
        problem%q = c_loc(q)
        problem%seg = c_loc(segments)
        problem%nseg = size(segments)
    end function

    subroutine perp_defaults(settings)
        type(perp_settings), intent(inout) :: settings
        settings%space = 0
        call settings_init(settings, int(8 * 512, c_size_t))
    end subroutine

    ! One setting by name, as in C: perp_set(settings, "tol", "1e-10").
    integer(c_int) function perp_set(settings, name, value) result(status)
        type(perp_settings), intent(inout) :: settings
        character(*), intent(in) :: name, value
        status = settings_set(settings, trim(name)//c_null_char, trim(value)//c_null_char)
    end function

    ! A handle of a solver by name.
    integer(c_int) function perp_create(solver, name, settings) result(status)
        type(c_ptr), intent(out) :: solver
        character(*), intent(in) :: name
        type(perp_settings), intent(in) :: settings
        type(c_ptr) :: kind
        kind = solver_find(trim(name)//c_null_char)
        solver = c_null_ptr
        status = -1
        if (c_associated(kind)) status = solver_create(solver, kind, settings, c_null_ptr, c_null_ptr)
    end function

    integer(c_int) function perp_solver_solve(solver, z, w) result(status)
        type(c_ptr), intent(in) :: solver
        real(c_double), intent(inout) :: z(:), w(:)
        status = solver_solve(solver, z, w, c_null_ptr)
    end function

    ! All of it in one call, by the solver that fits.
    integer(c_int) function perp_solve_problem(problem, settings, z, w) result(status)
        type(perp_problem), intent(in) :: problem
        type(perp_settings), intent(in) :: settings
        real(c_double), intent(inout) :: z(:), w(:)
        status = solve_once(c_null_ptr, problem, settings, z, w, c_null_ptr)
    end function

    ! How far z is from a solution, from the problem's own arrays.
    integer(c_int) function perp_residual(problem, z, residuals) result(status)
        type(perp_problem), intent(in) :: problem
        real(c_double), intent(in) :: z(:)
        type(perp_residuals), intent(inout) :: residuals
        residuals%size = 128
        status = residual_of(problem, z, c_null_ptr, c_null_ptr, residuals)
    end function

    ! The sentence of a status.
    function perp_text(status) result(text)
        integer(c_int), intent(in) :: status
        character(:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        type(c_ptr) :: pointer_of_c
        integer :: k
        pointer_of_c = status_text(status)
        call c_f_pointer(pointer_of_c, letters, [length_of(pointer_of_c)])
        allocate (character(size(letters)) :: text)
        do k = 1, size(letters)
            text(k:k) = letters(k)
        end do
    end function

    ! Runs a scene (JSON) to its end.
    integer(c_int) function perp_run_scene(path) result(status)
        character(*), intent(in) :: path
        type(c_ptr) :: scene
        status = scene_from_file(scene, trim(path)//c_null_char, c_null_ptr, c_null_ptr, c_null_ptr)
        if (status == perp_solved) then
            status = scene_run(scene, c_null_ptr, c_null_ptr)
            call scene_destroy(scene)
        end if
    end function
end module
