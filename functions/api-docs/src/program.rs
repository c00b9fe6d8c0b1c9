//! The complete programs in guides. A test runs them unchanged.

use docmill_look::example::Program;

macro_rules! program {
    ($name:literal) => {
        Program::new(
            $name,
            [
                include_str!(concat!("../snippets/", $name, ".sh")),
                include_str!(concat!("../snippets/", $name, ".command.sh")),
                include_str!(concat!("../snippets/", $name, ".py")),
                include_str!(concat!("../snippets/", $name, ".ts")),
                include_str!(concat!("../snippets/", $name, ".go")),
                include_str!(concat!("../snippets/", $name, ".rs")),
            ],
        )
    };
}

pub const PROGRAMS: [Program; 2] = [program!("chain"), program!("cleanup")];
