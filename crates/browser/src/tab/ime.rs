//! What a person types with an input method: Hangul, Kana and Han are composed, everything else is entered as it is.

/// So many characters are composed at once; people confirm a phrase, not a page.
const PHRASE: usize = 40;

/// A text with more characters of this kind is pasted rather than typed.
const PASTED: usize = 1_000;

/// A part of a text that is entered in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The part.
    pub text: String,
    /// What the input method shows on the way, the whole part last; empty for what needs none.
    pub stages: Vec<String>,
}

/// Cuts a text into parts that an input method composes and parts that it has no share in. Nothing is lost: the parts
/// together are the text.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let composed = text.chars().filter(|c| composes(*c)).count();
    if composed == 0 || composed > PASTED {
        return vec![Piece { text: text.to_owned(), stages: Vec::new() }];
    }
    let mut cut: Vec<(bool, String, usize)> = Vec::new();
    for character in text.chars() {
        let joins = joins(character);
        match cut.last_mut() {
            // Marks and the signs of these scripts stay with what they follow.
            Some((by_method, part, count))
                if joins == Joins::Any
                    || (*by_method && joins == Joins::Composed)
                    || (*by_method == composes(character) && (!*by_method || *count < PHRASE)) =>
            {
                part.push(character);
                *count += 1;
            }
            _ => cut.push((composes(character), character.to_string(), 1)),
        }
    }
    let piece = |(by_method, text, _): (bool, String, usize)| {
        let stages = if by_method { stages(&text) } else { Vec::new() };
        Piece { text, stages }
    };
    cut.into_iter().map(piece).collect()
}

/// What is shown while a part is composed: a syllable grows by its letters, then the rest comes.
fn stages(text: &str) -> Vec<String> {
    let mut stages: Vec<String> = Vec::new();
    if let Some(first) = text.chars().next() {
        stages.extend(letters(first));
        stages.push(first.to_string());
    }
    stages.push(text.to_owned());
    stages.dedup();
    stages
}

/// The states of a Hangul syllable before it is whole: its first consonant, then with its vowel.
fn letters(syllable: char) -> Vec<String> {
    const CONSONANTS: [char; 19] = [
        'ㄱ', 'ㄲ', 'ㄴ', 'ㄷ', 'ㄸ', 'ㄹ', 'ㅁ', 'ㅂ', 'ㅃ', 'ㅅ', 'ㅆ', 'ㅇ', 'ㅈ', 'ㅉ', 'ㅊ', 'ㅋ', 'ㅌ',
        'ㅍ', 'ㅎ',
    ];
    let Some(index) = u32::from(syllable).checked_sub(0xAC00).filter(|i| *i < 11_172) else {
        return Vec::new();
    };
    let consonant = usize::try_from(index / 588).ok().and_then(|i| CONSONANTS.get(i));
    let open = char::from_u32(0xAC00 + index / 28 * 28);
    consonant.into_iter().copied().chain(open).map(String::from).collect()
}

/// Whether people compose the character with an input method.
fn composes(character: char) -> bool {
    matches!(u32::from(character),
        0x1100..=0x11FF | 0x2E80..=0x2FDF | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3041..=0x318F | 0x31A0..=0x31BF
        | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xA960..=0xA97F | 0xAC00..=0xD7FF | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9F | 0x1B000..=0x1B16F | 0x20000..=0x3FFFF)
}

/// What a character follows without a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joins {
    /// Whatever stands before it: combining marks, variation selectors, joiners.
    Any,
    /// What is composed: the full-width signs of these scripts.
    Composed,
    /// Nothing.
    None,
}

fn joins(character: char) -> Joins {
    match u32::from(character) {
        0x0300..=0x036F
        | 0x200D
        | 0x20D0..=0x20FF
        | 0x3099..=0x309A
        | 0xFE00..=0xFE0F
        | 0xFE20..=0xFE2F
        | 0xE0100..=0xE01EF => Joins::Any,
        0x3000..=0x303F | 0x30FB | 0xFF01..=0xFF65 => Joins::Composed,
        _ => Joins::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(String, bool)> {
        let pieces = pieces(text);
        assert_eq!(pieces.iter().map(|p| p.text.as_str()).collect::<String>(), text, "nothing is lost");
        pieces.into_iter().map(|p| (p.text, !p.stages.is_empty())).collect()
    }

    fn is(parts: &[(&str, bool)]) -> Vec<(String, bool)> {
        parts.iter().map(|(text, by)| ((*text).to_owned(), *by)).collect()
    }

    #[test]
    fn pieces_are_cut_where_the_input_method_changes_and_never_inside_a_cluster() {
        assert_eq!(cut("plain"), is(&[("plain", false)]));
        assert_eq!(
            cut("안녕 hi 漢字です。ok"),
            is(&[("안녕", true), (" hi ", false), ("漢字です。", true), ("ok", false)])
        );
        assert_eq!(cut("e\u{301}か\u{3099}"), is(&[("e\u{301}", false), ("か\u{3099}", true)]));
        assert_eq!(cut("👨‍👩‍👧葛\u{e0100}"), is(&[("👨‍👩‍👧", false), ("葛\u{e0100}", true)]));
        assert_eq!(cut("。A"), is(&[("。A", false)]));
        assert_eq!(cut(""), is(&[("", false)]));
    }

    #[test]
    fn stages_grow_a_syllable_by_its_letters() {
        assert_eq!(pieces("한국")[0].stages, ["ㅎ", "하", "한", "한국"]);
        assert_eq!(pieces("가")[0].stages, ["ㄱ", "가"]);
        assert_eq!(pieces("漢字")[0].stages, ["漢", "漢字"]);
    }

    #[test]
    fn a_long_text_is_composed_phrase_by_phrase_and_a_page_of_it_not_at_all() {
        let long = cut(&"字".repeat(100));
        assert_eq!(long.iter().map(|(t, _)| t.chars().count()).collect::<Vec<_>>(), [40, 40, 20]);
        assert_eq!(cut(&"字".repeat(1_001)).len(), 1);
        assert!(pieces(&"字".repeat(1_001))[0].stages.is_empty());
    }
}
