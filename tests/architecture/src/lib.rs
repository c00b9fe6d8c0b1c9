//! Tests the direction of dependencies that ARCHITECTURE.md describes. `table` holds the rules, and `reading` reads the sources.

#![cfg(test)]

mod reading;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use reading::{circle, crates, module_uses, without_tests};
use table::{CRATES, EDGES, FILE_LINES, MODULES, MOST_LINES};

/// The rule of a crate that is none of the functions, each of which may use whatever is not a function.
fn rules() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    CRATES.iter().map(|(name, uses)| (*name, uses.iter().copied().collect())).collect()
}

#[test]
fn crates_depend_on_what_the_table_allows() {
    let (rules, crates) = (rules(), crates());
    let known: BTreeSet<_> = crates.iter().map(|each| each.name.as_str()).collect();
    let functions: BTreeSet<_> =
        crates.iter().filter(|each| each.is_function()).map(|each| each.name.as_str()).collect();
    let mut mistakes = Vec::new();
    for each in crates.iter().filter(|each| each.is_product()) {
        let used: BTreeSet<_> = each.dependencies().into_iter().filter(|used| known.contains(used.as_str())).collect();
        match rules.get(each.name.as_str()) {
            Some(allowed) => {
                let wrong = used.iter().filter(|used| !allowed.contains(used.as_str()));
                mistakes.extend(wrong.map(|used| format!("{} uses {used}", each.name)));
                let unused = allowed.iter().filter(|allowed| !used.contains(**allowed));
                mistakes.extend(unused.map(|allowed| format!("the table lets {} use {allowed}", each.name)));
            }
            None if each.is_function() => {
                let wrong = used.iter().filter(|used| functions.contains(used.as_str()));
                mistakes.extend(wrong.map(|used| format!("the function {} uses the function {used}", each.name)));
            }
            None => mistakes.push(format!("{} is not in the table", each.name)),
        }
    }
    mistakes.extend(rules.keys().filter(|name| !known.contains(*name)).map(|name| format!("there is no crate {name}")));
    assert!(mistakes.is_empty(), "{mistakes:#?}");
}

#[test]
fn only_edges_know_the_interface() {
    for each in crates().iter().filter(|each| each.is_product() && !each.is_function()) {
        let knows = each.dependencies().contains("lambda_http");
        assert_eq!(knows, EDGES.contains(&each.name.as_str()), "{} and lambda_http", each.name);
    }
}

#[test]
fn modules_use_what_the_table_allows() {
    let crates = crates();
    let mut mistakes = Vec::new();
    for (name, rules) in MODULES {
        let found = crates.iter().find(|each| each.name == *name);
        let uses = module_uses(found.unwrap_or_else(|| panic!("there is no crate {name}")));
        let rules: BTreeMap<_, _> = rules.iter().copied().collect();
        for (module, used) in &uses {
            let Some(allowed) = rules.get(module.as_str()) else {
                mistakes.push(format!("{name}: {module} is not in the table"));
                continue;
            };
            let wrong = used.iter().filter(|used| !allowed.contains(&used.as_str()));
            mistakes.extend(wrong.map(|used| format!("{name}: {module} uses {used}")));
        }
    }
    assert!(mistakes.is_empty(), "{mistakes:#?}");
}

#[test]
fn modules_have_no_circular_dependencies() {
    let crates = crates();
    let circles =
        crates.iter().filter(|each| each.is_product()).map(|each| (each.name.as_str(), circle(module_uses(each))));
    let circles: Vec<_> = circles.filter(|(_, circle)| !circle.is_empty()).collect();
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn no_crate_and_no_file_is_too_long() {
    let mut mistakes = Vec::new();
    for each in crates().iter().filter(|each| each.is_product()) {
        let files = each.sources();
        let long = files.iter().filter(|(_, text)| text.lines().count() >= FILE_LINES);
        mistakes.extend(long.map(|(path, _)| path.display().to_string()));
        let lines: usize = files.iter().map(|(_, text)| without_tests(text).lines().count()).sum();
        if lines > MOST_LINES {
            mistakes.push(format!("{} has {lines} lines; at most {MOST_LINES} are allowed", each.name));
        }
    }
    assert!(mistakes.is_empty(), "{mistakes:#?}");
}
