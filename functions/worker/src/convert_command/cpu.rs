//! CPU time of this process and all its descendants, including ended and pre-forked ones.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

/// A process's CPU time and parent.
struct Usage {
    parent: u32,
    ticks: u64,
}

/// User and system time in clock ticks (usually 10 ms). Ended processes count once their parent has waited for them.
pub(super) fn of_process_tree() -> io::Result<Duration> {
    let mut processes = HashMap::new();
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // A process may end after it was listed.
        if let Some(usage) = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok().and_then(|stat| parse(&stat)) {
            processes.insert(pid, usage);
        }
    }
    let own = std::process::id();
    let ticks: u64 =
        processes.iter().filter(|(pid, _)| descends(**pid, own, &processes)).map(|(_, usage)| usage.ticks).sum();
    let rate = rustix::param::clock_ticks_per_second().max(1);
    Ok(Duration::from_millis(ticks * 1000 / rate))
}

/// Whether a process is `ancestor` or one of its descendants.
fn descends(mut pid: u32, ancestor: u32, processes: &HashMap<u32, Usage>) -> bool {
    while pid != ancestor {
        match processes.get(&pid) {
            Some(usage) if usage.parent != 0 => pid = usage.parent,
            Some(_) | None => return false,
        }
    }
    true
}

/// A line of `/proc/PID/stat`. The program's name is in parentheses and may itself contain some.
fn parse(stat: &str) -> Option<Usage> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    // The name is followed by state, parent, …; fields 14 to 17 are user and system time, own and of waited-for children.
    let ticks = fields.get(11..15)?.iter().map(|field| field.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(Usage { parent: fields.get(1)?.parse().ok()?, ticks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_stat_is_read_whatever_the_program_is_called() {
        let usage = parse("42 (a) b) S 7 42 42 0 -1 0 0 0 0 0 10 20 3 4 20 0 1 0").unwrap();
        assert_eq!((usage.parent, usage.ticks), (7, 37));
    }

    #[test]
    fn own_time_grows_with_work() {
        let before = of_process_tree().unwrap();
        let mut value = 1_u64;
        while of_process_tree().unwrap() < before + Duration::from_millis(20) {
            (0..1_000_000).for_each(|step| value = std::hint::black_box(value.wrapping_mul(31).wrapping_add(step)));
        }
    }
}
