use std::collections::HashMap;

use super::*;
use crate::xml;

const INVOICE: &str = "<Invoice xmlns:c='urn:c'>
    <c:Total currency='EUR'>100.10</c:Total>
    <c:Line><c:Amount>50.05</c:Amount><c:Code>AE</c:Code><c:Date>2026-02-28</c:Date></c:Line>
    <c:Line><c:Amount>50.05</c:Amount><c:Code> S </c:Code><c:Date>2026-03-01+01:00</c:Date></c:Line>
    <c:Empty/>
</Invoice>";

/// The value of an expression as text, or why it has none.
fn value_with(source: &str, budget: u64) -> String {
    let document = xml::read(INVOICE.as_bytes()).unwrap();
    let mut names = Names::default();
    names.add_space("c", "urn:c");
    let expr = match parse(source, &mut names) {
        Ok(expr) => expr,
        Err(mistake) => return format!("mistake: {mistake}"),
    };
    let functions = HashMap::new();
    let mut evaluation = Evaluation::new(&document, &names, &functions, budget);
    let root = document.root_element().unwrap();
    let value = evaluation.value(&expr, &Focus::node(root)).and_then(|value| evaluation.joined(value));
    value.unwrap_or_else(|failure| format!("failure: {failure}"))
}

fn value(source: &str) -> String {
    value_with(source, 1_000_000)
}

#[test]
fn paths_find_nodes() {
    for (source, expected) in [
        ("c:Line/c:Code", "AE  S "),
        ("//c:Code[normalize-space(.) = 'S']/../c:Amount", "50.05"),
        ("/Invoice/c:Total/@currency", "EUR"),
        ("c:Line[2]/c:Code/normalize-space()", "S"),
        ("c:Line[last()]/preceding-sibling::c:Line/c:Code", "AE"),
        ("count(//*)", "11"),
        ("count(c:*) , count(*:Line)", "4 2"),
        ("c:Line/c:Code[ancestor::c:Line[c:Amount > 60]]", ""),
        ("(c:Line | c:Total)[1]/@currency", "EUR"),
        ("name(c:Line[1]/*[1]), local-name(..)", "c:Amount "),
        ("count(c:Total/text()), count(c:Line/child::c:Code/following-sibling::c:Date)", "1 2"),
        ("exists(c:Empty[not(node())]), exists(c:Total/self::c:Total)", "true true"),
        ("count(//c:Line/descendant-or-self::node())", "14"),
        ("count(//c:Date/preceding::c:Amount), count(//c:Line[1]/following::*)", "2 5"),
        ("(c:Line[2] | c:Total | c:Empty | c:Line[1] | c:Total)/name()", "c:Total c:Line c:Line c:Empty"),
        ("count(//*[ends-with(name(), 'e') and c:Code]), count(//c:*[ends-with(name(), 'Line')])", "2 2"),
        (
            "exists(c:Line), empty(c:Line), exists(c:Amount), exists(*), not(c:Nothing), boolean(text())",
            "true false false true true true",
        ),
        (
            "upper-case('aß'), lower-case('ÄB'), upper-case('AB'), normalize-space(' a  b'), normalize-space('a ')",
            "ASS äb AB a b a",
        ),
    ] {
        assert_eq!(value(source), expected, "{source}");
    }
}

#[test]
fn amounts_are_computed_exactly() {
    for (source, expected) in [
        ("sum(c:Line/xs:decimal(c:Amount)) = xs:decimal(c:Total)", "true"),
        ("xs:decimal('0.1') + xs:decimal('0.2') = 0.3", "true"),
        ("round(xs:decimal('1.005') * 100) div 100", "1.01"),
        ("round(-2.5), round(2.5), floor(-1.5), ceiling(1.2), abs(-3)", "-2 3 -2 2 3"),
        ("7 mod 3, 7 idiv 2, 7 div 2, -7 mod 3", "1 3 3.5 -1"),
        ("c:Total * 2, c:Total + 1 > 101", "200.2 true"),
        ("sum(()), sum((1, 2.5)), max((1, 3, 2)), min((2, 1))", "0 3.5 3 1"),
        ("number('x'), number('1e3'), 1e7, xs:integer('007')", "NaN 1000 1.0E7 7"),
        ("210501700012345678131468 mod 97", "1"),
        ("1 to 4, -(2), (3) - 1", "1 2 3 4 -2 2"),
    ] {
        assert_eq!(value(source), expected, "{source}");
    }
}

#[test]
fn texts_are_taken_apart() {
    for (source, expected) in [
        ("substring('12345', 2, 3), substring('12345', 0, 3), substring('12345', 4)", "234 12 45"),
        ("substring-before('a#b', '#'), substring-after('a#b', '#'), substring-after('ab', '#')", "a b "),
        ("tokenize('a b  c', '\\s'), string-join(('a', 'b'), '-')", "a b  c a-b"),
        ("matches('DE12', '^[A-Z]{2}[0-9]+$'), matches(concat('a', 'b'), concat('^', 'ab'))", "true true"),
        ("replace('a b', '\\s', ''), replace('ab', '(a)', '$1$1'), translate('abc', 'ab', 'x')", "ab aab xc"),
        ("upper-case('ß'), string-length('äö'), starts-with('ab', ''), ends-with('ab', 'b')", "SS 2 true true"),
        ("string-to-codepoints('A'), codepoints-to-string((72, 105)), contains('abc', 'bc')", "65 Hi true"),
        ("normalize-space(' a \n b ')", "a b"),
        ("distinct-values(('a', 'b', 'a')), reverse((1, 2))", "a b 2 1"),
        ("'it''s', \"a\"\"b\"", "it's a\"b"),
    ] {
        assert_eq!(value(source), expected, "{source}");
    }
}

#[test]
fn questions_have_answers() {
    for (source, expected) in [
        ("c:Line/c:Code = 'AE', c:Line/c:Code != 'AE', c:Missing = 'x'", "true true false"),
        ("some $code in c:Line/c:Code satisfies $code = 'AE'", "true"),
        ("every $code in c:Line/c:Code satisfies normalize-space($code) = ('AE', 'S')", "true"),
        ("for $a in (1, 2), $b in (10, 20) return $a + $b", "11 21 12 22"),
        ("if (c:Total) then 'yes' else 'no'", "yes"),
        (
            "c:Total castable as xs:decimal, c:Empty castable as xs:decimal, () castable as xs:integer?",
            "true false true",
        ),
        ("xs:date(c:Line[1]/c:Date) < xs:date(c:Line[2]/c:Date)", "true"),
        ("xs:date('2024-02-29') > xs:date('2023-12-31'), '2023-02-29' castable as xs:date", "true false"),
        ("not(c:Missing) and c:Total or false()", "true"),
        ("1 eq 1, () eq 1", "true"),
        ("(: a comment :) true()", "true"),
        ("position(), last(), boolean('')", "1 1 false"),
    ] {
        assert_eq!(value(source), expected, "{source}");
    }
}

#[test]
fn failures_say_why() {
    for (source, expected) in [
        ("xs:decimal(c:Empty)", "failure: \"\" is no number"),
        ("c:Line/c:Code > 1", "failure: \"AE\" is no number"),
        ("$unknown", "failure: the variable or function unknown is not defined"),
        ("1 div 0", "failure: it divides by zero"),
        ("matches('a', string-join(('(', 'a'), ''))", "failure: its regular expression is not valid"),
        ("matches('a', concat('(', ''))", "mistake: unexpected: the regular expression ("),
        ("string(c:Line/c:Code)", "failure: it has several values, where one is allowed"),
        (
            "c:Line/c:Date = xs:date('2026-03-01') or 1 = true()",
            "failure: a whole number can't be compared or computed with a truth value",
        ),
        ("nothing(1)", "mistake: there is no function nothing/1"),
        ("1 +", "mistake: unexpected: End instead of a value"),
        ("d:Line", "mistake: unexpected: the prefix d"),
    ] {
        assert_eq!(value(source), expected, "{source}");
    }
}

#[test]
fn what_runs_on_is_stopped() {
    let long = "count(for $a in //node(), $b in //node(), $c in //node(), $d in //node() return 1)";
    assert_eq!(value_with(long, 10_000), "failure: it takes too long");
    assert_eq!(value("count(1 to 100000000)"), "failure: it takes too long");
}
