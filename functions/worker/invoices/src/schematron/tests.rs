use super::*;
use crate::xml;

const RULES: &str = r#"<schema xmlns="http://purl.oclc.org/dsdl/schematron">
    <ns prefix="c" uri="urn:c"/>
    <let name="code" value="'A'"/>
    <let name="codes" value="concat(' ', $code, ' B ')"/>
    <let name="expression" value="'^[0-9]+$'"/>
    <pattern>
        <rule context="//*[ends-with(name(), 'Line')]">
            <let name="code" value="c:Code"/>
            <assert id="own" test="$code = 'AE'">Not AE</assert>
            <assert id="listed" test="contains($codes, $code)">Not listed: <value-of select="$code"/></assert>
            <assert id="digits" test="matches(c:Number, $expression)">No number</assert>
        </rule>
        <rule context="/c:Invoice">
            <assert id="whole" test="$code = 'A' and $codes = ' A B '">Other variables</assert>
            <assert id="loop" test="every $code in ('x', 'y') satisfies $code != 'A'">Other variables</assert>
            <assert id="after" test="$code = 'A'">Other variables</assert>
            <report id="there" test="c:Line/@id">It is there</report>
            <report id="missing" test="c:Missing">It is there</report>
            <assert id="absent" test="not(c:Missing/c:Code) and not(@id)">It is there</assert>
            <assert id="present" test="not(c:Line/c:Code)">It is there</assert>
        </rule>
    </pattern>
</schema>"#;

/// A variable of the whole file is the same everywhere, but where its name stands for something else.
#[test]
fn variables_and_what_a_document_lacks() {
    let schema = load(RULES.as_bytes()).unwrap();
    let source = "<c:Invoice xmlns:c='urn:c'><c:Line><c:Code>AE</c:Code><c:Number>7</c:Number></c:Line>\
        <c:Line id='2'><c:Code>B</c:Code><c:Number>x</c:Number></c:Line></c:Invoice>";
    let findings = schema.check(&xml::read(source.as_bytes()).unwrap()).unwrap();
    let found: Vec<(&str, &str)> =
        findings.iter().map(|finding| (finding.id.as_str(), finding.text.as_str())).collect();
    assert_eq!(
        found,
        [
            ("listed", "Not listed: AE"),
            ("own", "Not AE"),
            ("digits", "No number"),
            ("there", "It is there"),
            ("present", "It is there")
        ]
    );
}
