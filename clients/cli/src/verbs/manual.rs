//! Completions and manual pages, made from the same definitions as the help.

use std::path::Path;
use std::process::ExitCode;

use clap_complete::Shell;
use clap_mangen::Man;

use crate::args;
use crate::failure::{Doing, Outcome};
use crate::report;

/// The help of `docmill` alone.
pub fn help() -> ExitCode {
    match args::command().print_help() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

pub fn completions(shell: Shell) -> Outcome<()> {
    let mut command = args::command();
    // Tools get their options only when they are used.
    command.build();
    // Written at once: the generator can't go on if its reader goes, as `head` does.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "docmill", &mut script);
    report::to_stdout(String::from_utf8_lossy(&script).trim_end());
    Ok(())
}

/// Writes `docmill.1` and a page for each verb.
pub fn write(folder: &Path) -> Outcome<()> {
    let doing = format!("Writing to {}", folder.display());
    std::fs::create_dir_all(folder).doing(&doing)?;
    let mut command = args::command();
    command.build();
    let verbs = command.get_subcommands().filter(|verb| verb.get_name() != "help");
    let pages = std::iter::once((&command, "docmill".to_owned()))
        .chain(verbs.map(|verb| (verb, format!("docmill-{}", verb.get_name()))));
    let mut count = 0;
    for (command, name) in pages {
        let mut page = Vec::new();
        Man::new(command.clone().name(name.clone())).render(&mut page).doing(&doing)?;
        std::fs::write(folder.join(format!("{name}.1")), page).doing(&doing)?;
        count += 1;
    }
    report::to_stdout(&format!("{count} pages in {}", folder.display()));
    Ok(())
}
