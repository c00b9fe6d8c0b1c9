//! The encodings of the two fonts of symbols that every viewer has, Symbol and ZapfDingbats, and the names of Wingdings.

/// The names of Symbol's codes from 32, and from 160. A dash marks a code without a name.
const SYMBOL: [&str; 2] = [
    "space exclam universal numbersign existential percent ampersand suchthat parenleft parenright asteriskmath plus comma \
     minus period slash zero one two three four five six seven eight nine colon semicolon less equal greater question \
     congruent Alpha Beta Chi Delta Epsilon Phi Gamma Eta Iota theta1 Kappa Lambda Mu Nu Omicron Pi Theta Rho Sigma Tau \
     Upsilon sigma1 Omega Xi Psi Zeta bracketleft therefore bracketright perpendicular underscore radicalex alpha beta chi \
     delta epsilon phi gamma eta iota phi1 kappa lambda mu nu omicron pi theta rho sigma tau upsilon omega1 omega xi psi zeta \
     braceleft bar braceright similar",
    "Euro Upsilon1 minute lessequal fraction infinity florin club diamond heart spade arrowboth arrowleft arrowup arrowright \
     arrowdown degree plusminus second greaterequal multiply proportional partialdiff bullet divide notequal equivalence \
     approxequal ellipsis arrowvertex arrowhorizex carriagereturn aleph Ifraktur Rfraktur weierstrass circlemultiply \
     circleplus emptyset intersection union propersuperset reflexsuperset notsubset propersubset reflexsubset element \
     notelement angle gradient registerserif copyrightserif trademarkserif product radical dotmath logicalnot logicaland \
     logicalor arrowdblboth arrowdblleft arrowdblup arrowdblright arrowdbldown lozenge angleleft registersans copyrightsans \
     trademarksans summation parenlefttp parenleftex parenleftbt bracketlefttp bracketleftex bracketleftbt bracelefttp \
     braceleftmid braceleftbt braceex - angleright integral integraltp integralex integralbt parenrighttp parenrightex \
     parenrightbt bracketrighttp bracketrightex bracketrightbt bracerighttp bracerightmid bracerightbt",
];

/// The numbers in the names of dingbats, by their codes from 33, from 128, and from 161: `a1`, `a2`, `a202`. Zero marks a code without a name.
const DINGBATS: [(u8, &[u8]); 3] = [
    (
        33,
        &[
            1, 2, 202, 3, 4, 5, 119, 118, 117, 11, 12, 13, 14, 15, 16, 105, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
            28, 6, 7, 8, 9, 10, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50,
            51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 203, 75,
            204, 76, 77, 78, 79, 81, 82, 83, 84, 97, 98, 99, 100,
        ],
    ),
    (128, &[89, 90, 93, 94, 91, 92, 205, 85, 206, 86, 87, 88, 95, 96]),
    (
        161,
        &[
            101, 102, 103, 104, 106, 107, 108, 112, 111, 110, 109, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129,
            130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150,
            151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 163, 164, 196, 165, 192, 166, 167, 168, 169, 170,
            171, 172, 173, 162, 174, 175, 176, 177, 178, 179, 193, 180, 199, 181, 200, 182, 0, 201, 183, 184, 197, 185,
            194, 198, 186, 195, 187, 188, 189, 190, 191,
        ],
    ),
];

/// The names of Wingdings' codes from 33. A dash marks a code without a name.
const WINGDINGS: &str = "pencil scissors scissorscutting readingglasses bell book candle telephonesolid telhandsetcirc envelopeback \
     envelopefront mailboxflagdwn mailboxflagup mailbxopnflgup mailbxopnflgdwn folder folderopen filetalltext1 filetalltext \
     filetalltext3 filecabinet hourglass keyboard mouse2button ballpoint pc harddisk floppy3 floppy5 tapereel handwrite \
     handwriteleft handv handok thumbup thumbdown handptleft handptright handptup handptdwn handhalt smileface neutralface \
     frownface bomb skullcrossbones flag pennant airplane sunshine droplet snowflake crossoutline crossshadow crossceltic \
     crossmaltese starofdavid crescentstar yinyang om wheel aries taurus gemini cancer leo virgo libra scorpio saggitarius \
     capricorn aquarius pisces ampersanditlc ampersandit circle6 circleshadowdwn square6 box3 box4 boxshadowdwn boxshadowup \
     lozenge4 lozenge6 rhombus6 xrhombus rhombus4 clear escape command rosette rosettesolid quotedbllftbld quotedblrtbld - \
     zerosans onesans twosans threesans foursans fivesans sixsans sevensans eightsans ninesans tensans zerosansinv \
     onesansinv twosansinv threesansinv foursansinv fivesansinv sixsansinv sevensansinv eightsansinv ninesansinv tensansinv \
     budleafne budleafnw budleafsw budleafse vineleafboldne vineleafboldnw vineleafboldsw vineleafboldse circle2 circle4 \
     square2 ring2 ring4 ring6 ringbutton2 target circleshadowup square4 box2 tristar2 crosstar2 pentastar2 hexstar2 \
     octastar2 dodecastar3 octastar4 registersquare registercircle cuspopen cuspopen1 query circlestar starshadow oneoclock \
     twooclock threeoclock fouroclock fiveoclock sixoclock sevenoclock eightoclock nineoclock tenoclock elevenoclock \
     twelveoclock arrowdwnleft1 arrowdwnrt1 arrowupleft1 arrowuprt1 arrowleftup1 arrowrtup1 arrowleftdwn1 arrowrtdwn1 \
     quiltsquare2 quiltsquare2inv leafccwsw leafccwnw leafccwse leafccwne leafnw leafsw leafne leafse deleteleft \
     deleteright head2left head2right head2up head2down circleleft circleright circleup circledown barb2left barb2right \
     barb2up barb2down barb2nw barb2ne barb2sw barb2se barb4left barb4right barb4up barb4down barb4nw barb4ne barb4sw \
     barb4se bleft bright bup bdown bleftright bupdown bnw bne bsw bse bdash1 bdash2 xmarkbld checkbld boxxmarkbld \
     boxcheckbld windowslogo";

/// The name of a code in Symbol.
pub fn symbol_name(code: u8) -> Option<&'static str> {
    let (names, first) = if code < 160 { (SYMBOL[0], 32) } else { (SYMBOL[1], 160) };
    names.split_ascii_whitespace().nth(usize::from(code.checked_sub(first)?)).filter(|name| *name != "-")
}

/// The name of a code in ZapfDingbats.
pub fn dingbat_name(code: u8) -> Option<String> {
    if code == b' ' {
        return Some("space".to_owned());
    }
    let number = |(first, numbers): &(u8, &[u8])| numbers.get(usize::from(code.checked_sub(*first)?)).copied();
    DINGBATS.iter().find_map(number).filter(|number| *number != 0).map(|number| format!("a{number}"))
}

/// The character of a name in ZapfDingbats.
pub fn dingbat_of_name(name: &str) -> Option<char> {
    let number: u8 = name.strip_prefix('a')?.parse().ok().filter(|number| *number != 0)?;
    let code = DINGBATS.iter().find_map(|(first, numbers)| {
        let at = numbers.iter().position(|other| *other == number)?;
        first.checked_add(u8::try_from(at).ok()?)
    })?;
    dingbat(code)
}

/// The code of a name in Wingdings.
pub fn wingding_of_name(name: &str) -> Option<u8> {
    let at = WINGDINGS.split_ascii_whitespace().position(|other| other == name && other != "-")?;
    u8::try_from(at).ok()?.checked_add(33)
}

/// The character of a code in ZapfDingbats. Unicode lists them in the order of the font, without those that it had already.
pub fn dingbat(code: u8) -> Option<char> {
    let offset = u32::from(code);
    let character = match code {
        0x20 => 0x20,
        0x25 => 0x260e,
        0x2a => 0x261b,
        0x2b => 0x261e,
        0x48 => 0x2605,
        0x6c => 0x25cf,
        0x6e => 0x25a0,
        0x73 => 0x25b2,
        0x74 => 0x25bc,
        0x75 => 0x25c6,
        0x77 => 0x25d7,
        0x21..=0x7e => 0x2700 + offset - 0x20,
        0x80..=0x8d => 0x2768 + offset - 0x80,
        0xa8 => 0x2663,
        0xa9 => 0x2666,
        0xaa => 0x2665,
        0xab => 0x2660,
        0xac..=0xb5 => 0x2460 + offset - 0xac,
        0xd5 => 0x2192,
        0xd6 => 0x2194,
        0xd7 => 0x2195,
        0xf0 => return None,
        0xa1..=0xfe => 0x2761 + offset - 0xa1,
        _ => return None,
    };
    char::from_u32(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_names_and_characters_of_their_fonts() {
        let symbols = [b'a', b'W', 0xA0, 0xB7, 0xFE, 0x7F, 0xF0, 0].map(symbol_name);
        assert_eq!(
            symbols,
            [Some("alpha"), Some("Omega"), Some("Euro"), Some("bullet"), Some("bracerightbt"), None, None, None]
        );
        let names = [b'!', b'4', b'l', 0x80, 0xA8, 0xFE, 0xF0, 0x7F].map(dingbat_name);
        let names = names.map(Option::unwrap_or_default);
        assert_eq!(names, ["a1", "a20", "a71", "a89", "a112", "a191", "", ""]);
        let characters = [b'!', b'4', b'l', 0xA8, 0xAC, 0xB6, 0xD4, 0xD5, 0xFE].map(|code| dingbat(code).unwrap());
        assert_eq!(characters, ['✁', '✔', '●', '♣', '①', '❶', '➔', '→', '➾']);
        for code in 33..=u8::MAX {
            let by_name = dingbat_name(code).and_then(|name| dingbat_of_name(&name));
            assert_eq!(by_name, dingbat(code), "{code:#x}");
        }
        assert_eq!((dingbat_of_name("a0"), dingbat_of_name("apple"), dingbat_of_name("a300")), (None, None, None));
    }
}
