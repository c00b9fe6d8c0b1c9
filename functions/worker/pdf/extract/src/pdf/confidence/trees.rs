//! Made by `tests/extract/calibration.py`: don't edit.

use super::{Feature as F, Near as N, OfTable as T, Tree, Tree::If, Tree::Is};

pub(super) static HEADING: Tree = If(
    F::Digits,
    0.026,
    &If(
        F::Rule,
        0.875,
        &If(F::Capitals, 0.211, &If(F::After(N::Gap), 1.497, &Is(0.23), &Is(0.46)), &Is(0.57)),
        &If(
            F::After(N::Gap),
            1.775,
            &If(F::After(N::Gap), 0.282, &Is(0.54), &Is(0.78)),
            &If(F::After(N::Gap), 2.109, &Is(0.35), &Is(0.48)),
        ),
    ),
    &If(
        F::Capitals,
        0.73,
        &If(F::Letters, 0.624, &If(F::Styled, 0.5, &Is(0.69), &Is(0.49)), &If(F::Words, 6.5, &Is(0.86), &Is(0.59))),
        &Is(0.44),
    ),
);

pub(super) static PARAGRAPH: Tree = If(
    F::Capital,
    0.5,
    &If(
        F::Lower,
        0.5,
        &If(F::Digits, 0.685, &If(F::After(N::Gap), 0.787, &Is(0.51), &Is(0.62)), &Is(0.33)),
        &If(F::Before(N::Gap), -1.096, &Is(0.69), &If(F::Words, 2.5, &Is(0.47), &Is(0.15))),
    ),
    &If(
        F::After(N::Gap),
        1.149,
        &If(F::Before(N::Gap), 4.769, &If(F::After(N::Same), 0.5, &Is(0.79), &Is(0.55)), &Is(0.37)),
        &If(
            F::Before(N::Gap),
            0.002,
            &If(F::Capitals, 0.066, &Is(0.77), &Is(0.51)),
            &If(F::Ends, 0.5, &Is(0.81), &Is(0.9)),
        ),
    ),
);

pub(super) static ITEM: Tree = If(
    F::Words,
    7.5,
    &If(
        F::Letters,
        0.62,
        &Is(0.51),
        &If(
            F::Styled,
            0.5,
            &If(F::Before(N::Gap), 0.046, &Is(0.72), &Is(0.89)),
            &If(F::Letters, 0.9, &Is(0.79), &Is(0.61)),
        ),
    ),
    &If(
        F::Ends,
        0.5,
        &If(
            F::After(N::Gap),
            0.219,
            &If(F::After(N::Same), 0.5, &Is(0.35), &Is(0.61)),
            &If(F::Digits, 0.001, &Is(0.65), &Is(0.58)),
        ),
        &If(
            F::Styled,
            0.5,
            &If(F::Letters, 0.797, &Is(0.64), &Is(0.84)),
            &If(F::Capitals, 0.027, &Is(0.58), &Is(0.69)),
        ),
    ),
);

pub(super) static TABLE: Tree = If(
    F::Table(T::CellWords),
    2.304,
    &If(
        F::Rule,
        0.875,
        &Is(0.55),
        &If(F::Table(T::Filled), 0.944, &Is(0.68), &If(F::Before(N::Gap), 1.892, &Is(0.73), &Is(0.67))),
    ),
    &If(F::Table(T::Filled), 0.988, &If(F::Capitals, 0.095, &Is(0.42), &Is(0.45)), &Is(0.55)),
);

pub(super) static CODE: Tree = If(F::Words, 4.5, &Is(0.56), &If(F::After(N::Gap), 1.56, &Is(0.61), &Is(0.67)));
