//! What the pages say beside the invoice, in each language.

use serde::Deserialize;

/// The language of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// German.
    De,
    /// French.
    Fr,
}

impl Language {
    /// As HTML names it.
    pub(super) const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::De => "de",
            Self::Fr => "fr",
        }
    }

    /// One of the same words in each language, in the order of the languages.
    pub(super) const fn of(self, [english, german, french]: Words) -> &'static str {
        match self {
            Self::En => english,
            Self::De => german,
            Self::Fr => french,
        }
    }
}

/// The same in English, German and French.
pub(super) type Words = [&'static str; 3];

pub(super) const INVOICE: Words = ["Invoice", "Rechnung", "Facture"];
pub(super) const NUMBER: Words = ["Number", "Nummer", "Numéro"];
pub(super) const ISSUED: Words = ["Date", "Rechnungsdatum", "Date d’émission"];
pub(super) const DUE: Words = ["Due", "Fällig am", "Échéance"];
pub(super) const TAX_POINT: Words = ["Tax point", "Leistungszeitpunkt (USt.)", "Exigibilité de la TVA"];
pub(super) const PERIOD: Words = ["Period", "Zeitraum", "Période"];
pub(super) const SELLER: Words = ["Seller", "Verkäufer", "Vendeur"];
pub(super) const BUYER: Words = ["Buyer", "Käufer", "Acheteur"];
pub(super) const PAYEE: Words = ["Payee", "Zahlungsempfänger", "Bénéficiaire"];
pub(super) const REPRESENTATIVE: Words = ["Tax representative", "Steuerbevollmächtigter", "Représentant fiscal"];
pub(super) const DELIVERY: Words = ["Delivery", "Lieferung", "Livraison"];
pub(super) const VAT_ID: Words = ["VAT ID", "USt-IdNr.", "N° de TVA"];
pub(super) const TAX_NUMBER: Words = ["Tax number", "Steuernummer", "N° fiscal"];
pub(super) const REGISTRATION: Words = ["Registration", "Registernummer", "Immatriculation"];
pub(super) const IDENTIFIER: Words = ["Identifier", "Kennung", "Identifiant"];
pub(super) const ADDRESS: Words = ["Electronic address", "Elektronische Adresse", "Adresse électronique"];
pub(super) const CONTACT: Words = ["Contact", "Ansprechpartner", "Contact"];
pub(super) const BUYER_REFERENCE: Words = ["Buyer reference", "Leitweg-ID/Käuferreferenz", "Référence de l’acheteur"];
pub(super) const PROJECT: Words = ["Project", "Projekt", "Projet"];
pub(super) const CONTRACT: Words = ["Contract", "Vertrag", "Contrat"];
pub(super) const PURCHASE_ORDER: Words = ["Purchase order", "Bestellung", "Bon de commande"];
pub(super) const SALES_ORDER: Words = ["Sales order", "Auftrag", "Commande de vente"];
pub(super) const RECEIVING: Words = ["Receiving advice", "Wareneingang", "Avis de réception"];
pub(super) const DESPATCH: Words = ["Despatch advice", "Lieferschein", "Avis d’expédition"];
pub(super) const TENDER: Words = ["Tender", "Vergabe/Los", "Appel d’offres"];
pub(super) const OBJECT: Words = ["Invoiced object", "Abgerechnetes Objekt", "Objet facturé"];
pub(super) const ACCOUNTING: Words = ["Accounting reference", "Buchungsreferenz", "Référence comptable"];
pub(super) const PRECEDING: Words = ["Preceding invoice", "Vorausgegangene Rechnung", "Facture antérieure"];
pub(super) const NOTES: Words = ["Notes", "Bemerkungen", "Notes"];
pub(super) const ITEM: Words = ["Item", "Position", "Article"];
pub(super) const QUANTITY: Words = ["Quantity", "Menge", "Quantité"];
pub(super) const PRICE: Words = ["Price", "Preis", "Prix"];
pub(super) const VAT: Words = ["VAT", "USt.", "TVA"];
pub(super) const AMOUNT: Words = ["Amount", "Betrag", "Montant"];
pub(super) const ALLOWANCE: Words = ["Allowance", "Nachlass", "Remise"];
pub(super) const CHARGE: Words = ["Charge", "Zuschlag", "Frais"];
pub(super) const SUM: Words = ["Sum of lines", "Summe der Positionen", "Total des lignes"];
pub(super) const ALLOWANCES: Words = ["Allowances", "Nachlässe", "Remises"];
pub(super) const CHARGES: Words = ["Charges", "Zuschläge", "Frais"];
pub(super) const NET: Words = ["Total without VAT", "Gesamt ohne USt.", "Total hors TVA"];
pub(super) const GROSS: Words = ["Total with VAT", "Gesamt mit USt.", "Total TTC"];
pub(super) const PREPAID: Words = ["Paid", "Bereits gezahlt", "Déjà payé"];
pub(super) const ROUNDING: Words = ["Rounding", "Rundung", "Arrondi"];
pub(super) const PAYABLE: Words = ["Amount due", "Zahlbetrag", "Montant à payer"];
pub(super) const BREAKDOWN: Words = ["VAT breakdown", "Umsatzsteuer", "Détail de la TVA"];
pub(super) const CATEGORY: Words = ["Category", "Kategorie", "Catégorie"];
pub(super) const RATE: Words = ["Rate", "Satz", "Taux"];
pub(super) const BASE: Words = ["Base", "Bemessungsgrundlage", "Base"];
pub(super) const REASON: Words = ["Exemption", "Befreiungsgrund", "Motif d’exonération"];
pub(super) const PAYMENT: Words = ["Payment", "Zahlung", "Paiement"];
pub(super) const TERMS: Words = ["Terms", "Bedingungen", "Conditions"];
pub(super) const MEANS: Words = ["Means", "Zahlungsart", "Moyen"];
pub(super) const REFERENCE: Words = ["Reference", "Verwendungszweck", "Référence"];
pub(super) const ACCOUNT: Words = ["Account", "Konto", "Compte"];
pub(super) const HOLDER: Words = ["Account holder", "Kontoinhaber", "Titulaire"];
pub(super) const CARD: Words = ["Card", "Karte", "Carte"];
pub(super) const MANDATE: Words = ["Mandate", "Mandat", "Mandat"];
pub(super) const CREDITOR: Words = ["Creditor", "Gläubiger-ID", "Créancier"];
pub(super) const DEBITED: Words = ["Debited account", "Belastetes Konto", "Compte débité"];
pub(super) const ATTACHMENTS: Words = ["Attachments", "Anlagen", "Pièces jointes"];
pub(super) const DETAILS: Words = ["Details", "Angaben", "Détails"];
pub(super) const SPECIFICATION: Words = ["Specification", "Spezifikation", "Spécification"];

pub(super) const VALID: Words = ["The invoice is valid", "Die Rechnung ist gültig", "La facture est valide"];
pub(super) const NOT_VALID: Words =
    ["The invoice is not valid", "Die Rechnung ist nicht gültig", "La facture n’est pas valide"];
pub(super) const NOTHING_BROKEN: Words =
    ["No rule is broken.", "Keine Regel ist verletzt.", "Aucune règle n’est enfreinte."];
pub(super) const ERRORS: Words = ["Errors", "Fehler", "Erreurs"];
pub(super) const WARNINGS: Words = ["Warnings", "Warnungen", "Avertissements"];
pub(super) const HINTS: Words = ["Information", "Hinweise", "Informations"];
pub(super) const RULES: Words = ["Rules", "Regeln", "Règles"];
pub(super) const RULE: Words = ["Rule", "Regel", "Règle"];
pub(super) const MESSAGE: Words = ["What it asks for", "Was sie verlangt", "Ce qu’elle exige"];
pub(super) const LINE: Words = ["Line", "Zeile", "Ligne"];
pub(super) const NOT_APPLIED: Words = ["Rules not applied", "Nicht angewandte Regeln", "Règles non appliquées"];
pub(super) const FILE: Words = ["File in the PDF", "Datei im PDF", "Fichier dans le PDF"];

/// What a document is, by its code (UNTDID 1001), as far as EN 16931 invoices use it.
pub(super) fn kind(code: Option<&str>) -> Words {
    match code {
        Some("381") => ["Credit note", "Gutschrift", "Avoir"],
        Some("384") => ["Corrected invoice", "Rechnungskorrektur", "Facture rectificative"],
        Some("389") => ["Self-billed invoice", "Gutschrift (Selbstfakturierung)", "Autofacture"],
        Some("326") => ["Partial invoice", "Teilrechnung", "Facture partielle"],
        Some("386") => ["Prepayment invoice", "Vorauszahlungsrechnung", "Facture d’acompte"],
        Some(_) | None => INVOICE,
    }
}

/// A way to pay, by its code (UNTDID 4461).
pub(super) fn means(code: &str) -> Option<Words> {
    let words = match code {
        "10" => ["Cash", "Barzahlung", "Espèces"],
        "20" => ["Cheque", "Scheck", "Chèque"],
        "30" | "42" => ["Credit transfer", "Überweisung", "Virement"],
        "48" | "54" | "55" => ["Card", "Karte", "Carte"],
        "49" => ["Direct debit", "Lastschrift", "Prélèvement"],
        "57" => ["Standing agreement", "Dauerauftrag", "Accord permanent"],
        "58" => ["SEPA credit transfer", "SEPA-Überweisung", "Virement SEPA"],
        "59" => ["SEPA direct debit", "SEPA-Lastschrift", "Prélèvement SEPA"],
        _ => return None,
    };
    Some(words)
}

/// A unit, by its code (UN/ECE Recommendation 20), if it is common. Others are shown as they are.
pub(super) fn unit(code: &str) -> Option<Words> {
    let words = match code {
        "C62" | "H87" | "EA" | "XPP" => ["pcs", "Stück", "pcs"],
        "HUR" => ["h", "Std.", "h"],
        "MIN" => ["min", "Min.", "min"],
        "DAY" => ["days", "Tage", "jours"],
        "WEE" => ["weeks", "Wochen", "semaines"],
        "MON" => ["months", "Monate", "mois"],
        "ANN" => ["years", "Jahre", "années"],
        "KGM" => ["kg"; 3],
        "GRM" => ["g"; 3],
        "TNE" => ["t"; 3],
        "MTR" => ["m"; 3],
        "KMT" => ["km"; 3],
        "MTK" => ["m²"; 3],
        "MTQ" => ["m³"; 3],
        "LTR" => ["l"; 3],
        "KWH" => ["kWh"; 3],
        "P1" => ["%"; 3],
        "LS" => ["lump sum", "pauschal", "forfait"],
        "XBX" => ["boxes", "Kisten", "boîtes"],
        "SET" => ["sets", "Sätze", "lots"],
        _ => return None,
    };
    Some(words)
}
