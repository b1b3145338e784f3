! SPDX-License-Identifier: BSD-3-Clause
! One block is pushed over the floor, harder and harder; then by a handle; then a wrong setting.
program example
    use, intrinsic :: iso_c_binding
    use perp
    implicit none
    real(c_double), target :: W(3, 3), q(3), mu(1) = [0.3d0]
    real(c_double) :: r(3), u(3)
    type(perp_segment), target :: contact(1)
    type(perp_mat) :: matrix
    type(perp_problem) :: problem
    type(perp_settings) :: settings
    type(perp_residuals) :: residuals
    type(c_ptr) :: solver
    integer(c_int) :: status
    integer :: k

    W = 0
    do k = 1, 3
        W(k, k) = 1
    end do
    contact(1) = perp_segment(set=perp_coulomb, dim=3, count=1, &
        par=[c_loc(mu), c_null_ptr, c_null_ptr], stride=0)
    status = perp_mat_init_dense(matrix, 3, 3, W, 3)
    q = [-1d0, 2d0, 0d0]
    problem = perp_make_problem(matrix, q, contact)
    call perp_defaults(settings)
    status = perp_set(settings, "tol", "1e-10")
    status = perp_solve_problem(problem, settings, r, u)
    print "(a)", perp_text(status)
    if (status /= perp_solved .or. maxval(abs(r - [1d0, -0.3d0, 0d0])) > 1d-9) error stop "one call"
    status = perp_residual(problem, r, residuals)
    if (status /= perp_solved .or. residuals%natural > 1d-10) error stop "residual"

    status = perp_create(solver, "gs", settings)
    if (status == perp_solved) status = perp_solver_setup(solver, problem)
    do k = 1, 5
        q = [-1d0, 0.1d0 * k, 0d0]
        if (status == perp_solved) status = perp_solver_update_q(solver, q)
        if (status == perp_solved) status = perp_solver_solve(solver, r, u)
        print "(a, f4.1, a, 3f8.4, a, f8.4)", "push", q(2), "  impulse", r, "  speed", u(2)
        if (status /= perp_solved .or. abs(u(2) - max(q(2) - 0.3d0, 0d0)) > 1d-8) error stop "handle"
    end do
    call perp_solver_destroy(solver)
    if (perp_set(settings, "tool", "1") == perp_solved) error stop "setting"
end program
