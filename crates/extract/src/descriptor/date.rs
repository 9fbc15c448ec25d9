//! Which texts are a date. Nothing is computed from a date but whether two of them mean the same day: what is kept of it is its
//! own text, as it stands.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use jiff::SignedDuration;
use jiff::civil::Date;

use super::is_one_of;
use super::months::month;

/// Lines longer than this, in bytes, are prose and are not searched for a date.
const LINE_BYTES_MAX: usize = 240;

/// A calendar day as written, with no zone looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Day {
    date: Date,
    /// `3/4/2024` may be either of two days; nothing here says which.
    either_order: bool,
}

impl Day {
    fn new(year: u32, month: u32, day: u32) -> Option<Self> {
        // Year 1 is how several systems write "none", and 1 January 1970 is a zero.
        if !YEARS.contains(&year) || (year, month, day) == (1970, 1, 1) {
            return None;
        }
        let date = Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
        Some(Self { date, either_order: false })
    }

    /// Whether both may be the same day.
    pub(crate) fn may_equal(self, other: Self) -> bool {
        self.readings().any(|one| other.readings().any(|two| one == two))
    }

    /// Whether the two may be a day apart at most: one instant bears two dates around the world.
    pub(crate) fn is_near(self, other: Self) -> bool {
        let near = |one: Date, two: Date| one.duration_since(two).abs() <= SignedDuration::from_hours(24);
        self.readings().any(|one| other.readings().any(|two| near(one, two)))
    }

    fn readings(self) -> impl Iterator<Item = Date> {
        let date = self.date;
        let swapped =
            self.either_order.then(|| Date::new(date.year(), date.day(), date.month()).ok()).flatten();
        [date].into_iter().chain(swapped)
    }
}

/// Years of publications. Archives that are read go back to the first newspapers; nothing is published far ahead.
const YEARS: RangeInclusive<u32> = 1600..=2199;

/// Whether a date is written in digits or in English, so that programs read it without knowing the page's language.
pub(crate) fn is_international(text: &str) -> bool {
    let tokens = Tokens::new(text);
    text.is_ascii()
        && tokens.list.iter().all(|token| {
            let word = tokens.text_of(token).to_ascii_lowercase();
            token.kind != Kind::Word || is_one_of(&word, ENGLISH) || tokens.is_zone(token)
        })
}

/// The English words of a date.
const ENGLISH: &str = "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec \
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun at on st nd rd th am pm a p m t h uhr";

/// What the words around a shown date say it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// No word, or one such as "on" that leaves it open.
    None,
    Published,
    Modified,
}

/// A date found in a shown line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown<'t> {
    /// The date and what belongs to it (weekday, time, zone), as it stands.
    pub(crate) text: &'t str,
    pub(crate) day: Day,
    pub(crate) label: Label,
}

/// A shown line that holds dates.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line<'t> {
    pub(crate) dates: Vec<Shown<'t>>,
    /// Words that belong neither to a date nor to its label: zero where the line says nothing but when.
    pub(crate) other_words: usize,
}

/// The day a declared value states, if the value is a date and nothing else.
pub(crate) fn declared(text: &str) -> Option<Day> {
    if text.len() > LINE_BYTES_MAX {
        return None;
    }
    let tokens = Tokens { is_declared: true, ..Tokens::new(text) };
    if let Some(day) = tokens.compact() {
        return Some(day);
    }
    let start = tokens.skip(0, Token::is_blank);
    let (day, end) = tokens.expression(start)?;
    let rest = tokens.list.get(end..).unwrap_or_default();
    rest.iter()
        .all(|token| match token.kind {
            Kind::Word => tokens.is_zone(token) || is_weekday(tokens.text_of(token)),
            Kind::Number(_) => false,
            Kind::Other(_) | Kind::Space => true,
        })
        .then_some(day)
}

/// The dates of a shown line, each with what the words before it call it.
pub(crate) fn shown(text: &str) -> Line<'_> {
    let mut line = Line::default();
    if text.len() > LINE_BYTES_MAX || !holds_year(text) {
        return line;
    }
    let tokens = Tokens::new(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.list.len() {
        match tokens.expression(at) {
            Some((day, end)) => {
                found.push((at, end, day));
                at = end;
            }
            None => at += 1,
        }
    }
    if found.is_empty() {
        return line;
    }
    let mut at = 0;
    for (start, end, day) in found {
        let label = line.take_words(&tokens, at, start);
        line.dates.push(Shown { text: tokens.text_between(start, end), day, label });
        at = end;
    }
    line.take_words(&tokens, at, tokens.list.len());
    line
}

/// Whether a text has four digits in a row, without which it has no date.
fn holds_year(text: &str) -> bool {
    text.as_bytes().windows(4).any(|four| four.iter().all(u8::is_ascii_digit))
}

impl Line<'_> {
    /// Takes the words between two dates; says what they call the second one.
    fn take_words(&mut self, tokens: &Tokens<'_>, start: usize, end: usize) -> Label {
        let mut label = Label::None;
        for token in tokens.list.get(start..end).unwrap_or_default() {
            match token.kind {
                Kind::Word => match vocabulary(&tokens.text_of(token).to_lowercase()) {
                    Word::Published if label == Label::None => label = Label::Published,
                    // "Last published" is a modification, and in "published, last updated" the later word is nearer.
                    Word::Modified => label = Label::Modified,
                    Word::Published | Word::Open => {}
                    Word::Unknown => {
                        self.other_words += 1;
                        label = Label::None;
                    }
                },
                Kind::Number(_) => self.other_words += 1,
                Kind::Other(_) | Kind::Space => {}
            }
        }
        label
    }
}

#[derive(Clone, Copy)]
enum Word {
    Published,
    Modified,
    /// Says neither, and is no other word either: prepositions, names for "date" and "time".
    Open,
    Unknown,
}

/// Words before a date that say it is the publication's.
const PUBLISHED: &str = "published publish publication posted issued released veröffentlicht veröffentlichung veröffentlichungsdatum veroeffentlicht erschienen publiziert publié publiée publiés \
    publie parution paru publicado publicada publicación publicação pubblicato pubblicata pubblicazione publicat publicată gepubliceerd geplaatst publicatie publicatiedatum publicerad \
    publicerat publiceret udgivet offentliggjort publisert julkaistu opublikowano opublikowany publikacja publikacji publikováno vydáno zveřejněno zverejnené publikované objavljeno \
    közzétéve megjelent опубликовано опубликована опубліковано публикация yayınlanma yayınlandı yayımlanma yayın 公開 公開日 掲載 掲載日 発表 配信 投稿日 发布 发布时间 发表 게시 \
    입력 등록 נכתב פורסם نشر δημοσιεύτηκε δημοσίευση avaldatud paskelbta publicēts objavljen objavljena";

/// Words before a date that say it is a change's.
const MODIFIED: &str = "updated update updates modified revised edited changed amended revision last latest aktualisiert aktualisierung geändert bearbeitet überarbeitet zuletzt stand letzte letztes \
    modifié modifiée modification jour maj actualisé actualizado actualizada actualización modificado modificada última ultima ultimo último aggiornato aggiornata aggiornamento modifica atualizado \
    atualizada atualização bijgewerkt gewijzigd laatst uppdaterad uppdaterat senast opdateret sidst oppdatert sist endret päivitetty muokattu zaktualizowano aktualizacja aktualizováno aktualizace \
    aktualizované frissítve frissült módosítva ažurirano actualizat обновлено обновлен изменено оновлено güncelleme güncellenme güncellendi 更新 更新日 最終更新 最終更新日 更新时间 修改 수정 \
    최종수정 עודכן تحديث ενημερώθηκε ενημέρωση uuendatud atnaujinta";

/// Words beside a date that say nothing about which it is.
const OPEN: &str = "date dated time on at the of by first originally story article this was written created erstellt am vom um den der ab uhr datum uhrzeit le la à a les mis mise en ligne \
    date: el los las de del dal il lo alle ore di in data fecha hora em o às as op om den d kl klo dnia dne o godz pe la дата в tarih tarihi saat giriş et est gmt utc and und y e i og och";

fn vocabulary(word: &str) -> Word {
    static WORDS: LazyLock<HashMap<&str, Word>> = LazyLock::new(|| {
        // A word that stands in two lists is of the later one.
        let lists = [
            (WEEKDAYS, Word::Open),
            (OPEN, Word::Open),
            (MODIFIED, Word::Modified),
            (PUBLISHED, Word::Published),
        ];
        lists
            .into_iter()
            .flat_map(|(words, kind)| words.split_ascii_whitespace().map(move |word| (word, kind)))
            .collect()
    });
    WORDS.get(word).copied().unwrap_or(Word::Unknown)
}

/// Names of weekdays and their abbreviations.
const WEEKDAYS: &str = "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun montag dienstag mittwoch donnerstag freitag samstag sonnabend \
    sonntag mo di mi do fr sa so lundi mardi mercredi jeudi vendredi samedi dimanche lun mar mer jeu ven sam dim lunes martes miércoles jueves viernes sábado domingo mié jue vie sáb dom \
    lunedì martedì mercoledì giovedì venerdì sabato domenica gio segunda terça quarta quinta sexta feira seg ter qua qui sex maandag dinsdag woensdag donderdag vrijdag zaterdag zondag \
    ma wo vr za zo måndag tisdag onsdag torsdag fredag lördag söndag mandag tirsdag lørdag søndag maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai poniedziałek wtorek \
    środa czwartek piątek sobota niedziela pondělí úterý středa čtvrtek pátek neděle понедельник вторник среда четверг пятница суббота воскресенье pazartesi salı çarşamba perşembe cuma \
    cumartesi pazar 月 火 水 木 金 土 日 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日 월 화 수 목 금 토 일";

fn is_weekday(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| WEEKDAYS.split_ascii_whitespace().collect());
    WORDS.contains(&*word.to_lowercase())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A run of ASCII digits; `None` where it is no number that a date could hold.
    Number(Option<u32>),
    /// A run of letters.
    Word,
    Other(char),
    Space,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    start: usize,
    end: usize,
    kind: Kind,
}

impl Token {
    fn is_blank(&self) -> bool {
        self.kind == Kind::Space
    }

    /// What may stand between the parts of a date and its time.
    fn is_joint(&self) -> bool {
        matches!(
            self.kind,
            Kind::Space
                | Kind::Other(
                    ',' | '|' | '-' | '–' | '—' | '@' | '·' | '•' | ':' | '(' | ')' | '（' | '）' | '.' | '/'
                )
        )
    }
}

struct Tokens<'t> {
    text: &'t str,
    /// Whether the text is a declared value, written by a program.
    is_declared: bool,
    list: Vec<Token>,
}

impl<'t> Tokens<'t> {
    fn new(text: &'t str) -> Self {
        #[derive(PartialEq)]
        enum Class {
            Digit,
            Letter,
            Space,
            Other,
        }
        let class = |c: char| match c {
            '0'..='9' => Class::Digit,
            // The ordinal signs are letters to Unicode; here they end a number.
            'º' | 'ª' => Class::Other,
            c if c.is_whitespace() => Class::Space,
            c if c.is_alphabetic() || matches!(c, '\u{300}'..='\u{36f}') => Class::Letter,
            _ => Class::Other,
        };
        let mut list: Vec<Token> = Vec::new();
        let mut class_before = Class::Other;
        for (start, c) in text.char_indices() {
            let this = class(c);
            let end = start + c.len_utf8();
            match list.last_mut() {
                Some(token) if this == class_before && this != Class::Other => token.end = end,
                _ => list.push(Token {
                    start,
                    end,
                    kind: match this {
                        Class::Digit => Kind::Number(None),
                        Class::Letter => Kind::Word,
                        Class::Space => Kind::Space,
                        Class::Other => Kind::Other(c),
                    },
                }),
            }
            class_before = this;
        }
        for token in &mut list {
            if let Kind::Number(number) = &mut token.kind {
                *number = text.get(token.start..token.end).and_then(|digits| digits.parse().ok());
            }
        }
        Self { text, is_declared: false, list }
    }

    fn text_of(&self, token: &Token) -> &'t str {
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    /// The text from one token up to another, without white space at the end.
    fn text_between(&self, start: usize, end: usize) -> &'t str {
        let first = self.list.get(start).map_or(0, |token| token.start);
        let last = end.checked_sub(1).and_then(|last| self.list.get(last)).map_or(first, |token| token.end);
        self.text.get(first..last).unwrap_or_default().trim()
    }

    fn skip(&self, mut at: usize, what: fn(&Token) -> bool) -> usize {
        while self.list.get(at).is_some_and(what) {
            at += 1;
        }
        at
    }

    /// The number at `at`, if it has between `least` and `most` digits.
    fn number(&self, at: usize, least: usize, most: usize) -> Option<u32> {
        let token = self.list.get(at)?;
        let Kind::Number(number) = token.kind else {
            return None;
        };
        (least..=most).contains(&(token.end - token.start)).then_some(number).flatten()
    }

    fn word(&self, at: usize) -> Option<&'t str> {
        let token = self.list.get(at)?;
        (token.kind == Kind::Word).then(|| self.text_of(token))
    }

    fn other(&self, at: usize) -> Option<char> {
        match self.list.get(at)?.kind {
            Kind::Other(c) => Some(c),
            _ => None,
        }
    }

    fn is_space(&self, at: usize) -> bool {
        self.list.get(at).is_some_and(Token::is_blank)
    }

    /// `20240305` and `20240305T101500Z`: a declared value that is digits throughout.
    fn compact(&self) -> Option<Day> {
        let first = self.list.first()?;
        let digits = self.text_of(first);
        if !matches!(first.kind, Kind::Number(_)) || !matches!(digits.len(), 8 | 12 | 14) {
            return None;
        }
        let time_follows = self.word(1).is_some_and(|word| word.eq_ignore_ascii_case("T"));
        if self.list.len() > 1 && !time_follows {
            return None;
        }
        let part = |from, to| digits.get(from..to).and_then(|part| part.parse().ok());
        Day::new(part(0, 4)?, part(4, 6)?, part(6, 8)?)
    }

    /// A date with its weekday, time and zone, where one begins at `at`; and the token behind it.
    fn expression(&self, at: usize) -> Option<(Day, usize)> {
        let mut core = at;
        // A date begins with a number, or with a name that a number follows, perhaps behind another name.
        let near = self.list.get(at..).unwrap_or_default().iter().filter(|token| !token.is_joint()).take(3);
        if !near.into_iter().any(|token| matches!(token.kind, Kind::Number(_))) {
            return None;
        }
        let mut found = self.core(core);
        // Behind its weekday and its time, whichever is first; `mar` may be either month or Tuesday, so the date itself is tried before.
        for _ in 0..2 {
            if found.is_none() && self.word(core).is_some_and(is_weekday) {
                core = self.skip(core + 1, Token::is_joint);
                found = self.core(core);
            }
            if found.is_none()
                && let Some(end) = self.time(core)
            {
                core = self.skip(self.zone(end).unwrap_or(end), Token::is_joint);
                if self.word(core).is_some_and(|word| matches!(word, "on" | "am")) {
                    core = self.skip(core + 1, Token::is_joint);
                }
                found = self.core(core);
            }
        }
        // A number just before, as in `1/2024-03-05`, makes it something else.
        if at > 0 && matches!(self.list.get(at - 1).map(|token| token.kind), Some(Kind::Number(_))) {
            return None;
        }
        let (day, end) = found?;
        Some((day, self.after_date(end)))
    }

    /// The date proper.
    fn core(&self, at: usize) -> Option<(Day, usize)> {
        self.year_first(at)
            .or_else(|| self.ideographic(at))
            .or_else(|| self.numeric(at))
            .or_else(|| self.day_first(at))
            .or_else(|| self.month_first(at))
            // A further digit or a decimal would make it another number.
            .filter(|(_, end)| !matches!(self.list.get(*end).map(|token| token.kind), Some(Kind::Number(_))))
    }

    /// `2024-03-05`, `2024/3/5`, `2024. 03. 05`.
    fn year_first(&self, at: usize) -> Option<(Day, usize)> {
        let year = self.number(at, 4, 4)?;
        let separator = self.other(at + 1).filter(|c| matches!(c, '-' | '/' | '.' | '‑' | '–'))?;
        let month_at = at + 2 + usize::from(separator == '.' && self.is_space(at + 2));
        let month = self.number(month_at, 1, 2)?;
        if self.other(month_at + 1)? != separator {
            return None;
        }
        let day_at = month_at + 2 + usize::from(separator == '.' && self.is_space(month_at + 2));
        let day = self.number(day_at, 1, 2)?;
        Some((Day::new(year, month, day)?, day_at + 1))
    }

    /// `2024年3月5日`, `2024년 3월 5일`.
    fn ideographic(&self, at: usize) -> Option<(Day, usize)> {
        let part = |at: usize, least, most, signs: [&str; 2]| {
            let number = self.number(at, least, most)?;
            let sign = at + 1;
            let word = self.word(sign)?;
            let sign_ends = signs.iter().any(|known| word == *known || word.starts_with(known));
            sign_ends.then(|| (number, self.skip(sign + 1, Token::is_blank)))
        };
        let (year, at) = part(at, 4, 4, ["年", "년"])?;
        let (month, at) = part(at, 1, 2, ["月", "월"])?;
        let day = self.number(at, 1, 2)?;
        let word = self.word(at + 1)?;
        (word.starts_with('日') || word.starts_with('일')).then_some(())?;
        Some((Day::new(year, month, day)?, at + 2))
    }

    /// `5.3.2024`, `05/03/2024`, `5. 3. 2024`.
    fn numeric(&self, at: usize) -> Option<(Day, usize)> {
        let first = self.number(at, 1, 2)?;
        let separator = self.other(at + 1).filter(|c| matches!(c, '-' | '/' | '.'))?;
        let second_at = at + 2 + usize::from(separator == '.' && self.is_space(at + 2));
        let second = self.number(second_at, 1, 2)?;
        if self.other(second_at + 1)? != separator {
            return None;
        }
        let year_at = second_at + 2 + usize::from(separator == '.' && self.is_space(second_at + 2));
        let year = self.number(year_at, 4, 4)?;
        let (day_first, month_first) = (Day::new(year, second, first), Day::new(year, first, second));
        let day = match (day_first, month_first) {
            // With dots the day comes first wherever that is a date.
            (Some(day), Some(_)) => Day { either_order: separator != '.' && first != second, ..day },
            (Some(day), None) | (None, Some(day)) => day,
            (None, None) => return None,
        };
        Some((day, year_at + 1))
    }

    /// `5 March 2024`, `5. März 2024`, `5 de marzo de 2024`, `05-Mar-2024`, `1er mars 2024`.
    fn day_first(&self, at: usize) -> Option<(Day, usize)> {
        let day = self.number(at, 1, 2)?;
        let mut next = at + 1;
        next = self.ordinal_mark(next);
        next =
            self.skip(next, |token| matches!(token.kind, Kind::Space | Kind::Other('.' | '-' | '/' | ',')));
        if self.word(next).is_some_and(|word| matches!(word, "de" | "of" | "di" | "d" | "den")) {
            next = self.skip(next + 1, |token| matches!(token.kind, Kind::Space | Kind::Other('\'' | '’')));
        }
        let month = month(self.word(next)?)?;
        next = self.skip(next + 1, |token| matches!(token.kind, Kind::Space | Kind::Other('.' | '-' | '/')));
        if self.word(next).is_some_and(|word| matches!(word, "de" | "del" | "of")) {
            next = self.skip(next + 1, Token::is_blank);
        }
        let year = self.number(next, 4, 4)?;
        Some((Day::new(year, month.into(), day)?, next + 1))
    }

    /// `March 5, 2024`, `Mar. 5th 2024`; and where a program wrote it `Mar 05 10:15:00 CET 2024`.
    fn month_first(&self, at: usize) -> Option<(Day, usize)> {
        let name = self.word(at)?;
        let mut next = self.skip(at + 1, |token| matches!(token.kind, Kind::Space | Kind::Other('.')));
        let day = self.number(next, 1, 2)?;
        let month = month(name)?;
        next = self.ordinal_mark(next + 1);
        next = self.skip(next, |token| matches!(token.kind, Kind::Space | Kind::Other(',' | '.')));
        if self.is_declared
            && let Some(end) = self.time(next)
        {
            next = self.skip(self.zone(end).unwrap_or(end), Token::is_blank);
        }
        let year = self.number(next, 4, 4)?;
        Some((Day::new(year, month.into(), day)?, next + 1))
    }

    /// Goes past `st`, `nd`, `rd`, `th`, `er`, `º`, `ª`, `°`.
    fn ordinal_mark(&self, at: usize) -> usize {
        let mark = self
            .word(at)
            .is_some_and(|word| matches!(&*word.to_lowercase(), "st" | "nd" | "rd" | "th" | "er" | "e"))
            || self.other(at).is_some_and(|c| matches!(c, 'º' | 'ª' | '°'));
        at + usize::from(mark)
    }

    /// The end of the date's expression: behind its weekday, its time and its zone, where it has them.
    fn after_date(&self, end: usize) -> usize {
        // A dot that ends a Hungarian or Croatian date.
        let mut time_at = self.skip(end, Token::is_joint);
        if self.word(time_at).is_some_and(is_weekday) {
            time_at = self.skip(time_at + 1, Token::is_joint);
        }
        if self.word(time_at).is_some_and(|word| {
            matches!(
                &*word.to_lowercase(),
                "t" | "at"
                    | "um"
                    | "à"
                    | "a"
                    | "às"
                    | "as"
                    | "kl"
                    | "klo"
                    | "alle"
                    | "ore"
                    | "om"
                    | "o"
                    | "la"
                    | "las"
            )
        }) {
            time_at = self.skip(time_at + 1, Token::is_joint);
        }
        match self.time(time_at) {
            Some(end) => self.zone(end).unwrap_or(end),
            None => end,
        }
    }

    /// A time of day at `at`: `10:15`, `10.15 Uhr`, `10h15`, `10:15:00.123`, `4:19 p.m.`; the token behind it.
    fn time(&self, at: usize) -> Option<usize> {
        let hour = self.number(at, 1, 2)?;
        let colon = self.other(at + 1) == Some(':');
        let other_sign = self.other(at + 1) == Some('.')
            || self.word(at + 1).is_some_and(|word| matches!(word, "h" | "H" | "時" | "시"));
        let (minute_at, mut end) = if colon || other_sign {
            let minute_at = self.skip(at + 2, Token::is_blank);
            (minute_at, minute_at + 1)
        } else {
            // `4 pm`
            let meridiem = self.meridiem(at + 1)?;
            return (hour <= 12).then_some(meridiem);
        };
        let minute = self.number(minute_at, 2, 2)?;
        if hour > 24 || minute > 59 {
            return None;
        }
        if colon && self.other(end) == Some(':') && self.number(end + 1, 2, 2).is_some() {
            end += 2;
            if matches!(self.other(end), Some('.' | ',')) && self.number(end + 1, 1, 9).is_some() {
                end += 2;
            }
        } else if !colon && self.other(end) == Some('.') && self.number(end + 1, 1, 4).is_some() {
            // `10.15.2024` is a date, no time.
            return None;
        }
        if self.word(end).is_some_and(|word| word.starts_with('分') || word.starts_with('분')) {
            end += 1;
        }
        let after = self.skip(end, Token::is_blank);
        if self.word(after).is_some_and(|word| matches!(word, "Uhr" | "uhr" | "h" | "hrs" | "Hrs")) {
            return Some(after + 1);
        }
        Some(self.meridiem(end).unwrap_or(end))
    }

    /// `am`, `p.m.` behind a time; the token behind it.
    fn meridiem(&self, at: usize) -> Option<usize> {
        let at = self.skip(at, Token::is_blank);
        let word = self.word(at)?.to_lowercase();
        match &*word {
            "am" | "pm" => Some(at + 1),
            "a" | "p"
                if self.other(at + 1) == Some('.')
                    && self.word(at + 2).is_some_and(|word| word.eq_ignore_ascii_case("m")) =>
            {
                Some(at + 3 + usize::from(self.other(at + 3) == Some('.')))
            }
            _ => None,
        }
    }

    /// A zone behind a time: `Z`, `+01:00`, `-0500`, `GMT+7`, `EST`; the token behind it.
    fn zone(&self, at: usize) -> Option<usize> {
        let mut at = self.skip(at, |token| matches!(token.kind, Kind::Space | Kind::Other('(')));
        let mut named = false;
        if self.list.get(at).is_some_and(|token| self.is_zone(token)) {
            at += 1;
            named = true;
        }
        if matches!(self.other(at), Some('+' | '-' | '−')) && self.number(at + 1, 1, 4).is_some() {
            at += 2;
            if self.other(at) == Some(':') && self.number(at + 1, 2, 2).is_some() {
                at += 2;
            }
            named = true;
        }
        named.then_some(at)
    }

    /// A name of a zone: capitals, as in `Z`, `UTC`, `CEST`.
    fn is_zone(&self, token: &Token) -> bool {
        let word = self.text_of(token);
        token.kind == Kind::Word
            && (word == "Z"
                || word == "z"
                || ((2..=5).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_uppercase())))
    }
}
