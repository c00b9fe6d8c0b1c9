//! Writing outlines as charstrings of Type 2.

use super::outline::{Hints, Outline, Step};

/// Most operands of an operator.
const OPERANDS: usize = 48;
/// Most stems of a glyph.
const STEMS: usize = 96;

const HSTEM: u8 = 1;
const VSTEM: u8 = 3;
const VMOVETO: u8 = 4;
const RLINETO: u8 = 5;
const HLINETO: u8 = 6;
const VLINETO: u8 = 7;
const RRCURVETO: u8 = 8;
const ENDCHAR: u8 = 14;
const HSTEMHM: u8 = 18;
const HINTMASK: u8 = 19;
const RMOVETO: u8 = 21;
const HMOVETO: u8 = 22;
const VSTEMHM: u8 = 23;
const VHCURVETO: u8 = 30;
const HVCURVETO: u8 = 31;

/// The resolution of numbers per unit.
const FINEST: f64 = 65_536.0;

/// The outline in bytes. `usual`: the width that need not be written.
pub(super) fn write(outline: &Outline, usual: f64) -> Option<Vec<u8>> {
    let mut writer = Writer { bytes: Vec::new(), at: [0, 0] };
    let width = fixed(outline.width)?;
    if width != fixed(usual)? {
        writer.number(width)?;
    }
    let groups = Groups::new(&outline.hints)?;
    groups.declare(&mut writer)?;
    groups.choose(0, &mut writer);
    let mut steps = outline.steps.as_slice();
    while let [step, rest @ ..] = steps {
        let used = match step {
            Step::Move(to) => {
                writer.move_to(*to)?;
                1
            }
            Step::Hints(group) => {
                // Groups of hints without any drawing are skipped.
                if !matches!(rest, [Step::Hints(_), ..] | []) {
                    groups.choose(*group, &mut writer);
                }
                1
            }
            Step::Line(_) => writer.lines(steps)?,
            Step::Curve(_) => writer.curves(steps)?,
        };
        steps = steps.get(used..)?;
    }
    writer.bytes.push(ENDCHAR);
    Some(writer.bytes)
}

fn fixed(number: f64) -> Option<i32> {
    let scaled = (number * FINEST).round();
    #[expect(clippy::cast_possible_truncation, reason = "whole and in the range")]
    (scaled.abs() < f64::from(i32::MAX)).then_some(scaled as i32)
}

/// A whole number, in charstrings and dictionaries.
pub(super) fn whole(number: i16) -> Vec<u8> {
    let bytes = |number: i16, first: u8| {
        let [high, low] = number.to_be_bytes();
        vec![high + first, low]
    };
    match number {
        -107..=107 => (number + 139).to_be_bytes().into_iter().skip(1).collect(),
        108..=1131 => bytes(number - 108, 247),
        -1131..=-108 => bytes(-number - 108, 251),
        _ => [&[28], number.to_be_bytes().as_slice()].concat(),
    }
}

struct Writer {
    bytes: Vec<u8>,
    at: [i32; 2],
}

impl Writer {
    /// A number in parts of a unit.
    fn number(&mut self, number: i32) -> Option<()> {
        if number % (1 << 16) != 0 {
            self.bytes.push(255);
            self.bytes.extend(number.to_be_bytes());
            return Some(());
        }
        self.bytes.extend(whole(i16::try_from(number >> 16).ok()?));
        Some(())
    }

    fn operation(&mut self, operands: &[i32], operator: u8) -> Option<()> {
        operands.iter().try_for_each(|operand| self.number(*operand))?;
        self.bytes.push(operator);
        Some(())
    }

    /// The distance to a point, which becomes the start of the next step.
    fn by(&mut self, to: [f64; 2]) -> Option<[i32; 2]> {
        let to = [fixed(to[0])?, fixed(to[1])?];
        let by = [to[0].checked_sub(self.at[0])?, to[1].checked_sub(self.at[1])?];
        self.at = to;
        Some(by)
    }

    fn move_to(&mut self, to: [f64; 2]) -> Option<()> {
        match self.by(to)? {
            [x, 0] => self.operation(&[x], HMOVETO),
            [0, y] => self.operation(&[y], VMOVETO),
            by => self.operation(&by, RMOVETO),
        }
    }

    /// Consecutive lines: alternating along the axes, or any.
    fn lines(&mut self, steps: &[Step]) -> Option<usize> {
        let start = self.at;
        let mut list = Vec::new();
        for step in steps.iter().take(OPERANDS) {
            let Step::Line(to) = step else { break };
            list.push(self.by(*to)?);
        }
        let along = |by: &[i32; 2]| match by {
            [_, 0] => Some(true),
            [0, _] => Some(false),
            _ => None,
        };
        let used = if let Some(first) = along(list.first()?) {
            let turns = list.iter().enumerate().take_while(|(index, by)| along(by) == Some(first ^ (index % 2 == 1)));
            let operands: Vec<i32> = turns
                .take(OPERANDS)
                .enumerate()
                .map(|(index, (_, by))| if first ^ (index % 2 == 1) { by[0] } else { by[1] })
                .collect();
            self.operation(&operands, if first { HLINETO } else { VLINETO })?;
            operands.len()
        } else {
            let operands: Vec<i32> =
                list.iter().take_while(|by| along(by).is_none()).take(OPERANDS / 2).flatten().copied().collect();
            self.operation(&operands, RLINETO)?;
            operands.len() / 2
        };
        self.at = list.iter().take(used).fold(start, |at, by| [at[0] + by[0], at[1] + by[1]]);
        Some(used)
    }

    /// Consecutive curves: with ends alternating along the axes, or any.
    fn curves(&mut self, steps: &[Step]) -> Option<usize> {
        let start = self.at;
        let mut list = Vec::new();
        for step in steps.iter().take(OPERANDS) {
            let Step::Curve([a, b, c, d, e, f]) = step else { break };
            list.push([self.by([*a, *b])?, self.by([*c, *d])?, self.by([*e, *f])?]);
        }
        let along = |by: &[[i32; 2]; 3]| match by {
            [[_, 0], _, [0, _]] => Some(true),
            [[0, _], _, [_, 0]] => Some(false),
            _ => None,
        };
        let mut operands: Vec<i32> = Vec::new();
        let used = if let Some(first) = along(list.first()?) {
            let turns = list.iter().enumerate().take_while(|(index, by)| along(by) == Some(first ^ (index % 2 == 1)));
            let used = turns.count().min(OPERANDS / 4);
            for (index, [from, middle, to]) in list.iter().take(used).enumerate() {
                let flat = first ^ (index % 2 == 1);
                operands.extend([
                    if flat { from[0] } else { from[1] },
                    middle[0],
                    middle[1],
                    if flat { to[1] } else { to[0] },
                ]);
            }
            self.operation(&operands, if first { HVCURVETO } else { VHCURVETO })?;
            used
        } else {
            let used = list.iter().take_while(|by| along(by).is_none()).count().min(OPERANDS / 6);
            operands.extend(list.iter().take(used).flatten().flatten());
            self.operation(&operands, RRCURVETO)?;
            used
        };
        self.at = list.iter().take(used).flatten().fold(start, |at, by| [at[0] + by[0], at[1] + by[1]]);
        Some(used)
    }
}

/// The stems of all groups, in order, and which of them each group has.
struct Groups {
    horizontal: Vec<[i32; 2]>,
    vertical: Vec<[i32; 2]>,
    masks: Vec<Vec<u8>>,
}

impl Groups {
    fn new(hints: &[Hints]) -> Option<Self> {
        let stems = |pick: fn(&Hints) -> &Vec<[f64; 2]>| {
            let all = hints.iter().flat_map(pick).map(|stem| Some([fixed(stem[0])?, fixed(stem[1])?]));
            let mut all: Vec<[i32; 2]> = all.collect::<Option<_>>()?;
            all.sort_unstable();
            all.dedup();
            Some(all)
        };
        let (horizontal, vertical) = (stems(|hints| &hints.horizontal)?, stems(|hints| &hints.vertical)?);
        if horizontal.len() + vertical.len() > STEMS || horizontal.len().max(vertical.len()) * 2 >= OPERANDS {
            return None;
        }
        let mut masks = Vec::new();
        for group in hints {
            let mut mask = vec![0; (horizontal.len() + vertical.len()).div_ceil(8)];
            for (all, own, first) in
                [(&horizontal, &group.horizontal, 0), (&vertical, &group.vertical, horizontal.len())]
            {
                for stem in own {
                    let bit = first + all.binary_search(&[fixed(stem[0])?, fixed(stem[1])?]).ok()?;
                    *mask.get_mut(bit / 8)? |= 0x80 >> (bit % 8);
                }
            }
            masks.push(mask);
        }
        Some(Self { horizontal, vertical, masks })
    }

    /// Whether stems come and go.
    fn change(&self) -> bool {
        self.masks.iter().any(|mask| self.masks.first() != Some(mask))
    }

    fn declare(&self, writer: &mut Writer) -> Option<()> {
        let operators = if self.change() { [HSTEMHM, VSTEMHM] } else { [HSTEM, VSTEM] };
        for (stems, operator) in [&self.horizontal, &self.vertical].into_iter().zip(operators) {
            let mut end = 0;
            for [start, width] in stems {
                writer.number(start.checked_sub(end)?)?;
                writer.number(*width)?;
                end = start.checked_add(*width)?;
            }
            if !stems.is_empty() {
                writer.bytes.push(operator);
            }
        }
        Some(())
    }

    fn choose(&self, group: usize, writer: &mut Writer) {
        if self.change() {
            writer.bytes.push(HINTMASK);
            writer.bytes.extend(self.masks.get(group).into_iter().flatten());
        }
    }
}
