//! What captions begin with: "Table 1", "Рис. 2", "图3", "4. ábra".

/// Words before the number of a table, figure or the like, in lower case. Their full stop may follow.
const BEFORE: [&str; 75] = [
    "table",
    "tab",
    "figure",
    "fig",
    "chart",
    "diagram",
    "scheme",
    "illustration",
    "box",
    "algorithm",
    "listing",
    "plate",
    "tabelle",
    "abbildung",
    "abb",
    "tableau",
    "graphique",
    "schéma",
    "tabla",
    "cuadro",
    "figura",
    "gráfico",
    "ilustración",
    "tabella",
    "grafico",
    "tabela",
    "quadro",
    "ilustração",
    "tabel",
    "figuur",
    "afbeelding",
    "tabell",
    "figur",
    "bild",
    "taulukko",
    "kuva",
    "rysunek",
    "rys",
    "ryc",
    "wykres",
    "tabulka",
    "obrázek",
    "obrázok",
    "obr",
    "tabuľka",
    "graf",
    "tabelul",
    "tablica",
    "slika",
    "joonis",
    "таблица",
    "табл",
    "рисунок",
    "рис",
    "таблиця",
    "малюнак",
    "табліца",
    "фигура",
    "фиг",
    "слика",
    "табела",
    "πίνακας",
    "εικόνα",
    "σχήμα",
    "tablo",
    "çizelge",
    "şekil",
    "bảng",
    "hình",
    "gambar",
    "جدول",
    "شكل",
    "الشكل",
    "الجدول",
    "שרטוט",
];
/// The same in scripts that put no space before the number.
const JOINED: [&str; 12] = ["表", "图", "圖", "図", "표", "그림", "ตารางที่", "ตาราง", "รูปที่", "รูป", "ภาพที่", "ภาพ"];
/// Words after the number.
const AFTER: [&str; 9] = ["ábra", "táblázat", "kép", "diagram", "lentelė", "pav", "paveikslas", "attēls", "tabula"];
/// Signs around a label, as in "[그림 1]", and before a number, as in "Таблица № 1".
const OPENING: [char; 5] = ['<', '[', '〈', '【', '《'];
const NUMBER: [char; 5] = ['№', '#', '(', '-', '–'];
/// What parts an entry of a list of figures from its page.
const LEADERS: [&str; 3] = ["....", ". . .", "……"];

/// How the label of a caption ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Such as "Figure 2:", or all of the text.
    Closed,
    /// Such as "Figure 2 shows", which may be a sentence.
    Open,
}

/// The label that a text begins with. Entries of a list of figures have none.
#[must_use]
pub fn label(text: &str) -> Option<Label> {
    if LEADERS.iter().any(|leaders| text.contains(leaders)) {
        return None;
    }
    let inner = text.trim_start_matches(OPENING);
    before_number(inner).or_else(|| after_number(inner))
}

/// A word and its number.
fn before_number(text: &str) -> Option<Label> {
    let rest = match JOINED.iter().find_map(|word| text.strip_prefix(word)) {
        Some(rest) => rest,
        None => {
            let end = text.find(|c: char| c.is_whitespace() || c.is_ascii_digit())?;
            let (word, rest) = text.split_at(end);
            let word = word.to_lowercase();
            BEFORE.contains(&word.strip_suffix('.').unwrap_or(&word)).then_some(rest)?
        }
    };
    let rest = rest.trim_start().trim_start_matches(NUMBER).trim_start();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
    let number = rest.split(|c| !is_part(c)).next().unwrap_or_default();
    let plain = number.trim_end_matches(['.', '-']);
    let is_number = plain.starts_with(|c: char| c.is_numeric() || c.is_ascii_uppercase())
        && plain.chars().any(char::is_numeric)
        || !plain.is_empty() && plain.chars().all(|c| matches!(c, 'I' | 'V' | 'X' | 'A'..='H'));
    let after = rest.get(number.len()..)?;
    let is_closed = plain.len() < number.len() && !after.trim_start().starts_with(char::is_lowercase);
    is_number.then(|| if is_closed { Label::Closed } else { ending(after) })
}

/// A number and its word, as in Hungarian and Lithuanian.
fn after_number(text: &str) -> Option<Label> {
    let (number, rest) = text.split_once(char::is_whitespace)?;
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let (word, after) = rest.split_at_checked(end)?;
    (is_number && AFTER.contains(&word.to_lowercase().as_str())).then(|| ending(after))
}

/// How a label ends, by what follows its number.
fn ending(after: &str) -> Label {
    let after = after.trim_start();
    let is_closed = after.is_empty()
        || after.starts_with([':', '.', '–', '—', '-', '|', ')', ']', '>', '〉', '】', '》', '：', '．', '、']);
    if is_closed { Label::Closed } else { Label::Open }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_end_with_their_number_or_a_sign() {
        for closed in [
            "Table 1: Prices",
            "Figure 2.3. A river",
            "Fig. 4 — Dams",
            "Fig.4: Dams",
            "Abbildung IV",
            "Table A-1: x",
            "Table -1: x",
            "表1：价格",
            "[그림 2] 강",
            "Рис. 2. Река",
            "Таблица № 3 – Цены",
            "Πίνακας 1: Τιμές",
            "Şekil 4.1.",
            "Hình 2: Sông",
            "جدول (١): الأسعار",
            "3. ábra: Folyó",
            "2 lentelė. Kainos",
        ] {
            assert_eq!(label(closed), Some(Label::Closed), "{closed}");
        }
    }

    #[test]
    fn labels_in_a_sentence_are_open() {
        for open in [
            "Figure 3 shows the river.",
            "图1 系统",
            "Fig.1. explains it",
            "Рисунок 5 показывает реку.",
            "1. ábra A folyó",
        ] {
            assert_eq!(label(open), Some(Label::Open), "{open}");
        }
    }

    #[test]
    fn other_texts_have_none() {
        for none in [
            "Table tennis is a sport.",
            "The table 3: no",
            "Figures 1 and 2",
            "figure",
            "",
            "1. A river",
            "表格",
            "(рис. 5)",
            "Figure 2: A river ........ 12",
            "Figure 2: A river . . . . . 12",
        ] {
            assert_eq!(label(none), None, "{none}");
        }
    }
}
