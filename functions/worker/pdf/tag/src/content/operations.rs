//! The operations of content with the bytes that they are written in, so that all that is not changed stays as it is.

use std::borrow::Cow;
use std::ops::Range;

use docmill_pdf_core::tokens::{self, Token, Tokens};

#[derive(Debug)]
pub(crate) enum Operand<'c> {
    Number(f32),
    Name(Cow<'c, [u8]>),
    Text(Cow<'c, [u8]>),
    /// A bracket.
    Other,
}

#[derive(Debug)]
pub(crate) struct Operation<'c> {
    pub(crate) operator: &'c [u8],
    pub(crate) operands: Vec<Operand<'c>>,
    /// From the end of the operation before to the end of the operator.
    pub(crate) place: Range<usize>,
}

impl Operation<'_> {
    pub(crate) fn numbers(&self) -> Vec<f32> {
        self.operands.iter().filter_map(Operand::number).collect()
    }

    /// The last name among the operands.
    pub(crate) fn name(&self) -> Option<&[u8]> {
        self.operands.iter().rev().find_map(Operand::name)
    }
}

impl Operand<'_> {
    pub(crate) fn number(&self) -> Option<f32> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Name(_) | Self::Text(_) | Self::Other => None,
        }
    }

    pub(crate) fn name(&self) -> Option<&[u8]> {
        match self {
            Self::Name(name) => Some(name),
            Self::Number(_) | Self::Text(_) | Self::Other => None,
        }
    }
}

/// Calls `each` with every operation, in order.
pub(crate) fn for_each<'c>(content: &'c [u8], mut each: impl FnMut(Operation<'c>)) {
    let mut tokens = Tokens::new(content);
    let mut operands = Vec::new();
    let mut start = 0;
    while let Some(token) = tokens.next() {
        match token {
            Token::Number(number) => operands.push(Operand::Number(number)),
            Token::Name(raw) => operands.push(Operand::Name(tokens::name(raw))),
            Token::Literal(raw) => operands.push(Operand::Text(tokens::literal(raw))),
            Token::Hex(raw) => operands.push(Operand::Text(tokens::hex(raw).into())),
            Token::Other => operands.push(Operand::Other),
            Token::Operator(b"true" | b"false" | b"null") => operands.push(Operand::Other),
            Token::Operator(operator) => {
                let end = tokens.place().end;
                each(Operation { operator, operands: std::mem::take(&mut operands), place: start..end });
                start = end;
            }
        }
    }
}
