use super::reader::date;
use super::*;
use crate::{Profile, read, validate};

fn fixture(file: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../../{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn summary_of(file: &str) -> Summary {
    validate(&fixture(file), Profile::Auto).unwrap().invoice
}

#[test]
fn both_syntaxes_are_read() {
    let flour = summary::Line {
        id: some("1"),
        name: some("Flour, 25 kg"),
        quantity: some("2"),
        unit: some("H87"),
        price: some("50.00"),
        amount: some("100.00"),
    };
    let cii = Summary {
        number: some("2026-0008"),
        type_code: some("380"),
        issue_date: some("2026-11-20"),
        due_date: some("2026-12-20"),
        currency: some("EUR"),
        buyer_reference: some("04011000-12345-03"),
        seller: summary::Party { name: some("Mühle Beispiel GmbH"), vat_id: some("DE123456789"), country: some("DE") },
        buyer: summary::Party { name: some("Bäckerei Muster"), vat_id: None, country: some("DE") },
        totals: summary::Totals {
            net: some("100.00"),
            vat: some("19.00"),
            gross: some("119.00"),
            prepaid: None,
            payable: some("119.00"),
        },
        lines: vec![flour],
    };
    assert_eq!(summary_of("tests/fixtures/invoices/xrechnung.xml"), cii);
    let mut ubl = summary_of("samples/invoice.xml");
    let lines: Vec<_> = ubl.lines.drain(..).filter_map(|line| line.name.zip(line.amount)).collect();
    let expected = [("Young poplar", "200.00"), ("Stake", "50.00")];
    assert_eq!(lines, expected.map(|(name, amount)| (name.to_owned(), amount.to_owned())));
    let expected = Summary {
        number: some("2026-0009"),
        type_code: some("380"),
        issue_date: some("2026-11-20"),
        due_date: some("2026-12-20"),
        currency: some("EUR"),
        buyer_reference: some("Order 17"),
        seller: summary::Party {
            name: some("Harbor Park Nursery Ltd"),
            vat_id: some("IE1234567T"),
            country: some("IE"),
        },
        buyer: summary::Party { name: some("Sample Gardens Ltd"), vat_id: None, country: some("IE") },
        totals: summary::Totals {
            net: some("250.00"),
            vat: some("57.50"),
            gross: some("307.50"),
            prepaid: None,
            payable: some("307.50"),
        },
        lines: Vec::new(),
    };
    assert_eq!(ubl, expected);
}

#[test]
fn vat_in_another_currency_is_not_told() {
    let total =
        |currency: &str| format!("<TaxTotal><TaxAmount currencyID='{currency}'>{currency} 1</TaxAmount></TaxTotal>");
    let source = format!(
        "<Invoice xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2'><DocumentCurrencyCode>EUR</DocumentCurrencyCode>\
         {}{}<LegalMonetaryTotal/></Invoice>",
        total("SEK"),
        total("EUR")
    );
    let invoice = validate(source.as_bytes(), Profile::Auto).unwrap().invoice;
    assert_eq!(invoice.totals, summary::Totals { vat: some("EUR 1"), ..summary::Totals::default() });
}

#[test]
fn texts_of_other_kinds_are_no_dates() {
    assert_eq!(date("20261129".to_owned()), "2026-11-29");
    assert_eq!(date("2026-11-29".to_owned()), "2026-11-29");
    assert_eq!(date("äöüß".to_owned()), "äöüß");
}

const UBL_PARTS: &str = r#"<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><CustomizationID>urn:x</CustomizationID>
<ProfileID>P1</ProfileID><ID>7</ID><Note>#AAI#Thank you</Note><Note>Plain</Note><DocumentCurrencyCode>EUR</DocumentCurrencyCode><TaxCurrencyCode>SEK</TaxCurrencyCode>
<OrderReference><ID>PO1</ID><SalesOrderID>SO1</SalesOrderID></OrderReference>
<BillingReference><InvoiceDocumentReference><ID>6</ID><IssueDate>2026-01-02</IssueDate></InvoiceDocumentReference></BillingReference>
<AdditionalDocumentReference><ID schemeID="AAB">meter 5</ID><DocumentTypeCode>130</DocumentTypeCode></AdditionalDocumentReference>
<AdditionalDocumentReference><ID>A1</ID><DocumentDescription>Timesheet</DocumentDescription><Attachment><EmbeddedDocumentBinaryObject mimeCode="text/csv" filename="t.csv">eA==</EmbeddedDocumentBinaryObject></Attachment></AdditionalDocumentReference>
<AccountingSupplierParty><Party><EndpointID schemeID="0088">123</EndpointID><PartyIdentification><ID schemeID="SEPA">DE98ZZZ</ID></PartyIdentification>
<PartyIdentification><ID schemeID="0088">456</ID></PartyIdentification><PartyName><Name>Shop</Name></PartyName>
<PostalAddress><StreetName>Street 1</StreetName><AddressLine><Line>Yard</Line></AddressLine><CityName>Town</CityName><PostalZone>9</PostalZone><Country><IdentificationCode>DE</IdentificationCode></Country></PostalAddress>
<PartyTaxScheme><CompanyID>201/1</CompanyID><TaxScheme><ID>FC</ID></TaxScheme></PartyTaxScheme><PartyTaxScheme><CompanyID>DE1</CompanyID><TaxScheme><ID>VAT</ID></TaxScheme></PartyTaxScheme>
<PartyLegalEntity><RegistrationName>Shop GmbH</RegistrationName></PartyLegalEntity></Party></AccountingSupplierParty>
<PaymentMeans><PaymentMeansCode name="Debit">59</PaymentMeansCode><PaymentMandate><ID>M1</ID><PayerFinancialAccount><ID>DE5</ID></PayerFinancialAccount></PaymentMandate></PaymentMeans>
<AllowanceCharge><ChargeIndicator>false</ChargeIndicator><AllowanceChargeReason>Loyal</AllowanceChargeReason><Amount>5</Amount></AllowanceCharge>
<AllowanceCharge><ChargeIndicator>true</ChargeIndicator><AllowanceChargeReason>Freight</AllowanceChargeReason><Amount>3</Amount></AllowanceCharge>
<TaxTotal><TaxAmount currencyID="EUR">19</TaxAmount><TaxSubtotal><TaxableAmount>100</TaxableAmount><TaxAmount>19</TaxAmount><TaxCategory><ID>S</ID><Percent>19</Percent></TaxCategory></TaxSubtotal></TaxTotal>
<TaxTotal><TaxAmount currencyID="SEK">210</TaxAmount></TaxTotal><LegalMonetaryTotal><PayableAmount>117</PayableAmount></LegalMonetaryTotal>
<InvoiceLine><ID>1</ID><InvoicedQuantity unitCode="HUR">2</InvoicedQuantity><LineExtensionAmount>100</LineExtensionAmount><InvoicePeriod><StartDate>2026-01-01</StartDate></InvoicePeriod>
<Item><Name>Work</Name><CommodityClassification><ItemClassificationCode listID="TST">72</ItemClassificationCode></CommodityClassification><AdditionalItemProperty><Name>Floor</Name><Value>3</Value></AdditionalItemProperty></Item>
<Price><PriceAmount>50</PriceAmount><BaseQuantity unitCode="HUR">1</BaseQuantity></Price></InvoiceLine></Invoice>"#;

const CII_PARTS: &str = r#"<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" xmlns="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100">
<rsm:ExchangedDocumentContext><BusinessProcessSpecifiedDocumentContextParameter><ID>P1</ID></BusinessProcessSpecifiedDocumentContextParameter><GuidelineSpecifiedDocumentContextParameter><ID>urn:x</ID></GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument><ID>7</ID><IncludedNote><Content>Thank you</Content><SubjectCode>AAI</SubjectCode></IncludedNote><IncludedNote><Content>Plain</Content></IncludedNote></rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction><IncludedSupplyChainTradeLineItem><AssociatedDocumentLineDocument><LineID>1</LineID></AssociatedDocumentLineDocument>
<SpecifiedTradeProduct><Name>Work</Name><ApplicableProductCharacteristic><Description>Floor</Description><Value>3</Value></ApplicableProductCharacteristic><DesignatedProductClassification><ClassCode listID="TST">72</ClassCode></DesignatedProductClassification></SpecifiedTradeProduct>
<SpecifiedLineTradeAgreement><NetPriceProductTradePrice><ChargeAmount>50</ChargeAmount><BasisQuantity unitCode="HUR">1</BasisQuantity></NetPriceProductTradePrice></SpecifiedLineTradeAgreement>
<SpecifiedLineTradeDelivery><BilledQuantity unitCode="HUR">2</BilledQuantity></SpecifiedLineTradeDelivery>
<SpecifiedLineTradeSettlement><BillingSpecifiedPeriod><StartDateTime><DateTimeString format="102">20260101</DateTimeString></StartDateTime></BillingSpecifiedPeriod><SpecifiedTradeSettlementLineMonetarySummation><LineTotalAmount>100</LineTotalAmount></SpecifiedTradeSettlementLineMonetarySummation></SpecifiedLineTradeSettlement></IncludedSupplyChainTradeLineItem>
<ApplicableHeaderTradeAgreement><SellerTradeParty><GlobalID schemeID="0088">456</GlobalID><Name>Shop GmbH</Name><SpecifiedLegalOrganization><TradingBusinessName>Shop</TradingBusinessName></SpecifiedLegalOrganization>
<PostalTradeAddress><PostcodeCode>9</PostcodeCode><LineOne>Street 1</LineOne><LineThree>Yard</LineThree><CityName>Town</CityName><CountryID>DE</CountryID></PostalTradeAddress><URIUniversalCommunication><URIID schemeID="0088">123</URIID></URIUniversalCommunication>
<SpecifiedTaxRegistration><ID schemeID="FC">201/1</ID></SpecifiedTaxRegistration><SpecifiedTaxRegistration><ID schemeID="VA">DE1</ID></SpecifiedTaxRegistration></SellerTradeParty>
<SellerOrderReferencedDocument><IssuerAssignedID>SO1</IssuerAssignedID></SellerOrderReferencedDocument><BuyerOrderReferencedDocument><IssuerAssignedID>PO1</IssuerAssignedID></BuyerOrderReferencedDocument>
<AdditionalReferencedDocument><IssuerAssignedID>meter 5</IssuerAssignedID><TypeCode>130</TypeCode><ReferenceTypeCode>AAB</ReferenceTypeCode></AdditionalReferencedDocument>
<AdditionalReferencedDocument><IssuerAssignedID>A1</IssuerAssignedID><TypeCode>916</TypeCode><Name>Timesheet</Name><AttachmentBinaryObject mimeCode="text/csv" filename="t.csv">eA==</AttachmentBinaryObject></AdditionalReferencedDocument></ApplicableHeaderTradeAgreement>
<ApplicableHeaderTradeSettlement><CreditorReferenceID>DE98ZZZ</CreditorReferenceID><TaxCurrencyCode>SEK</TaxCurrencyCode><InvoiceCurrencyCode>EUR</InvoiceCurrencyCode>
<SpecifiedTradeSettlementPaymentMeans><TypeCode>59</TypeCode><Information>Debit</Information><PayerPartyDebtorFinancialAccount><IBANID>DE5</IBANID></PayerPartyDebtorFinancialAccount></SpecifiedTradeSettlementPaymentMeans>
<ApplicableTradeTax><CalculatedAmount>19</CalculatedAmount><BasisAmount>100</BasisAmount><CategoryCode>S</CategoryCode><RateApplicablePercent>19</RateApplicablePercent></ApplicableTradeTax>
<SpecifiedTradeAllowanceCharge><ChargeIndicator><Indicator>false</Indicator></ChargeIndicator><ActualAmount>5</ActualAmount><Reason>Loyal</Reason></SpecifiedTradeAllowanceCharge>
<SpecifiedTradeAllowanceCharge><ChargeIndicator><Indicator>true</Indicator></ChargeIndicator><ActualAmount>3</ActualAmount><Reason>Freight</Reason></SpecifiedTradeAllowanceCharge>
<SpecifiedTradePaymentTerms><DirectDebitMandateID>M1</DirectDebitMandateID></SpecifiedTradePaymentTerms>
<SpecifiedTradeSettlementHeaderMonetarySummation><TaxTotalAmount currencyID="EUR">19</TaxTotalAmount><TaxTotalAmount currencyID="SEK">210</TaxTotalAmount><DuePayableAmount>117</DuePayableAmount></SpecifiedTradeSettlementHeaderMonetarySummation>
<InvoiceReferencedDocument><IssuerAssignedID>6</IssuerAssignedID><FormattedIssueDateTime><DateTimeString format="102">20260102</DateTimeString></FormattedIssueDateTime></InvoiceReferencedDocument></ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>"#;

fn identifier(value: &str, scheme: &str) -> Identifier {
    Identifier { value: value.to_owned(), scheme: some(scheme) }
}

/// What both of the texts above say.
fn parts() -> Invoice {
    let adjustment = |reason: &str, amount: &str| {
        vec![Adjustment { reason: some(reason), amount: some(amount), ..Adjustment::default() }]
    };
    Invoice {
        number: some("7"),
        currency: some("EUR"),
        tax_currency: some("SEK"),
        process: Process { business_process: some("P1"), specification: some("urn:x") },
        references: References {
            purchase_order: some("PO1"),
            sales_order: some("SO1"),
            invoiced_object: Some(identifier("meter 5", "AAB")),
            ..References::default()
        },
        notes: vec![
            Note { subject: some("AAI"), text: "Thank you".to_owned() },
            Note { subject: None, text: "Plain".to_owned() },
        ],
        preceding_invoices: vec![Preceding { number: some("6"), date: some("2026-01-02") }],
        seller: Party {
            name: some("Shop GmbH"),
            trading_name: some("Shop"),
            identifiers: vec![identifier("456", "0088")],
            vat_id: some("DE1"),
            tax_number: some("201/1"),
            electronic_address: Some(identifier("123", "0088")),
            address: Address {
                lines: vec!["Street 1".to_owned(), "Yard".to_owned()],
                city: some("Town"),
                post_code: some("9"),
                region: None,
                country: some("DE"),
            },
            ..Party::default()
        },
        payments: vec![Payment {
            means_code: some("59"),
            means: some("Debit"),
            mandate: some("M1"),
            creditor: some("DE98ZZZ"),
            debited_account: some("DE5"),
            ..Payment::default()
        }],
        allowances: adjustment("Loyal", "5"),
        charges: adjustment("Freight", "3"),
        totals: Totals { vat: some("19"), vat_in_tax_currency: some("210"), payable: some("117"), ..Totals::default() },
        vat_breakdown: vec![Vat {
            base: some("100"),
            amount: some("19"),
            category: some("S"),
            rate: some("19"),
            ..Vat::default()
        }],
        attachments: vec![Attachment {
            reference: some("A1"),
            description: some("Timesheet"),
            url: None,
            filename: some("t.csv"),
            media_type: some("text/csv"),
        }],
        lines: vec![Line {
            id: some("1"),
            name: some("Work"),
            quantity: some("2"),
            unit: some("HUR"),
            price: some("50"),
            base_quantity: some("1"),
            base_unit: some("HUR"),
            amount: some("100"),
            period: Period { start: some("2026-01-01"), end: None },
            classifications: vec![identifier("72", "TST")],
            attributes: vec![Attribute { name: some("Floor"), value: some("3") }],
            ..Line::default()
        }],
        ..Invoice::default()
    }
}

#[test]
fn both_syntaxes_say_the_same() {
    assert_eq!(read(UBL_PARTS.as_bytes()).unwrap(), (Syntax::UblInvoice, parts()));
    assert_eq!(read(CII_PARTS.as_bytes()).unwrap(), (Syntax::Cii, parts()));
}

fn members(value: &serde_json::Value, names: &mut std::collections::BTreeSet<String>) {
    if let Some(object) = value.as_object() {
        names.extend(object.keys().cloned());
        object.values().for_each(|value| members(value, names));
    }
    value.as_array().into_iter().flatten().for_each(|value| members(value, names));
}

#[test]
fn the_guide_names_every_member() {
    let guide = include_str!("../../../../api-docs/guides/invoices.md");
    let whole = Invoice { payee: Some(Party::default()), tax_representative: Some(Party::default()), ..parts() };
    let mut names = std::collections::BTreeSet::new();
    members(&serde_json::to_value(&whole).unwrap(), &mut names);
    let missing: Vec<_> = names.iter().filter(|name| !guide.contains(&format!("`{name}`"))).collect();
    assert_eq!(missing, [""; 0]);
    assert!(names.len() > 100, "{}", names.len());
}
