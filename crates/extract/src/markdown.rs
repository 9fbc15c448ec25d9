//! An article as Markdown, for people to read and programs to convert.

use std::cmp::Reverse;
use std::fmt::Write;
use std::ops::Range;

use crate::{Article, Block, Cell, Mark, MarkKind, Text};

impl Article {
    /// The article as CommonMark, with the tables and strikethrough of GitHub's dialect: the headline, a list of what the descriptor holds, the text.
    ///
    /// Characters that mean something in Markdown are escaped, so that what is read is what was copied. Addresses of links are as written,
    /// whatever their scheme. Places, other readings and notices
    /// are not shown; [`to_json`](Self::to_json) has them.
    pub fn to_markdown(&self) -> String {
        let descriptor = &self.descriptor;
        let mut blocks = Vec::new();
        if let Some(headline) = &descriptor.headline {
            blocks.push(Block::Heading { level: 1, text: Text::plain(&headline.text) });
        }
        if let Some(standfirst) = &descriptor.standfirst {
            let mut text = Text::plain(&standfirst.text);
            text.marks.push(Mark { range: 0..text.text.len(), kind: MarkKind::Strong });
            blocks.push(Block::Paragraph(text));
        }
        let authors: Vec<&str> = descriptor.authors.iter().map(|value| value.text.as_str()).collect();
        let tags: Vec<&str> = descriptor.tags.iter().map(|value| value.text.as_str()).collect();
        let (authors, tags) = (authors.join(", "), tags.join(", "));
        let one = |value: &Option<crate::Value>| value.as_ref().map(|value| value.text.clone());
        let lines = [
            ("authors", Some(authors)),
            ("published", one(&descriptor.published)),
            ("modified", one(&descriptor.modified)),
            ("category", one(&descriptor.category)),
            ("tags", Some(tags)),
            ("canonical", one(&descriptor.canonical)),
            ("language", one(&descriptor.language)),
            ("identifier", one(&self.identifier)),
            ("translation of", self.relation.as_ref().map(|relation| relation.original.text.clone())),
        ];
        let items: Vec<Vec<Block>> = lines
            .into_iter()
            .filter_map(|(name, text)| Some((name, text.filter(|text| !text.is_empty())?)))
            .map(|(name, text)| vec![Block::Paragraph(Text::plain(format!("{name}: {text}")))])
            .collect();
        if !items.is_empty() {
            blocks.push(Block::List { ordered: false, items });
        }
        let mut out = Writer::default();
        out.blocks(blocks.iter().chain(&self.blocks), true);
        out.markdown
    }
}

#[derive(Default)]
struct Writer {
    markdown: String,
    /// What stands before every line: `> ` for each quotation, spaces for each list item around it.
    indent: String,
}

impl Writer {
    /// Writes blocks, parted by empty lines where they are `loose`.
    fn blocks<'a>(&mut self, blocks: impl IntoIterator<Item = &'a Block>, loose: bool) {
        // Two lists that follow each other would be one if they had the same bullets.
        let mut last_list: Option<(bool, bool)> = None;
        for (index, block) in blocks.into_iter().enumerate() {
            if index > 0 {
                self.line_break();
                if loose {
                    self.line_break();
                }
            }
            let list = match block {
                Block::List { ordered, .. } => {
                    Some((*ordered, last_list.is_some_and(|(kind, other)| kind == *ordered && !other)))
                }
                _ => None,
            };
            self.block(block, list.is_some_and(|(_, other)| other));
            last_list = list;
        }
    }

    fn line_break(&mut self) {
        trim_line(&mut self.markdown);
        self.markdown.push('\n');
        self.markdown.push_str(&self.indent);
    }

    fn block(&mut self, block: &Block, other_bullet: bool) {
        match block {
            Block::Heading { level, text } => {
                let hashes = usize::from(*level).clamp(1, 6);
                self.markdown.extend(std::iter::repeat_n('#', hashes));
                self.markdown.push(' ');
                self.markdown.push_str(&line(text, Where::Heading));
            }
            Block::Paragraph(text) => self.markdown.push_str(&line(text, Where::Paragraph)),
            Block::List { ordered, items } => self.list(*ordered, items, other_bullet),
            Block::Quotation(blocks) => {
                self.markdown.push_str("> ");
                self.within("> ", |writer| writer.blocks(blocks, true));
            }
            Block::Preformatted(text) => {
                let fence = "`".repeat(longest_run(text).max(2) + 1);
                self.markdown.push_str(&fence);
                for line in text.lines() {
                    self.line_break();
                    self.markdown.push_str(line);
                }
                self.line_break();
                self.markdown.push_str(&fence);
            }
            Block::Table(rows) => self.table(rows),
            Block::Separator => self.markdown.push_str("***"),
        }
    }

    fn within(&mut self, indent: &str, write: impl FnOnce(&mut Self)) {
        let length = self.indent.len();
        self.indent.push_str(indent);
        write(self);
        self.indent.truncate(length);
    }

    fn list(&mut self, ordered: bool, items: &[Vec<Block>], other_bullet: bool) {
        let is_tight =
            |item: &Vec<Block>| matches!(item.as_slice(), [_] | [Block::Paragraph(_), Block::List { .. }]);
        let loose = !items.iter().all(is_tight);
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.line_break();
                if loose {
                    self.line_break();
                }
            }
            let bullet = match (ordered, other_bullet) {
                (false, false) => "- ".to_owned(),
                (false, true) => "+ ".to_owned(),
                (true, false) => format!("{}. ", index + 1),
                (true, true) => format!("{}) ", index + 1),
            };
            self.markdown.push_str(&bullet);
            self.within(&" ".repeat(bullet.len()), |writer| writer.blocks(item, loose));
        }
    }

    fn table(&mut self, rows: &[Vec<Cell>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let is_header = |row: &Vec<Cell>| row.iter().all(|cell| cell.header);
        let (header, rows) = match rows.split_first() {
            Some((first, rest)) if is_header(first) => (first.as_slice(), rest),
            // The first row of a table is its header in Markdown; a table without one gets an empty row.
            _ => (&[][..], rows),
        };
        self.row(header, columns);
        self.line_break();
        self.markdown.push('|');
        self.markdown.push_str(&" --- |".repeat(columns));
        for row in rows {
            self.line_break();
            self.row(row, columns);
        }
    }

    fn row(&mut self, cells: &[Cell], columns: usize) {
        self.markdown.push('|');
        for column in 0..columns {
            let text = cells.get(column).map(|cell| line(&cell.text, Where::Cell)).unwrap_or_default();
            // Writing to a string does not fail.
            let _ = write!(self.markdown, " {text} |");
        }
    }
}

fn trim_line(markdown: &mut String) {
    let trimmed = markdown.trim_end_matches(' ').len();
    markdown.truncate(trimmed);
}

/// What a text is part of, which decides what has to be escaped in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Heading,
    Paragraph,
    Cell,
}

/// A text on one line, its marks as Markdown.
fn line(text: &Text, place: Where) -> String {
    let marks = marks(text);
    let mut line =
        Line { text: &text.text, place, out: String::with_capacity(text.text.len() + 16), closed: false };
    let mut bounds: Vec<usize> = marks.iter().flat_map(|mark| [mark.range.start, mark.range.end]).collect();
    bounds.push(text.text.len());
    bounds.sort_unstable();
    bounds.dedup();
    // The ends of the marks that are open, and what is written there.
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut literal_until = 0;
    let mut at = 0;
    let mut next = marks.iter().enumerate().peekable();
    for bound in bounds {
        line.plain(at..bound, at < literal_until);
        at = bound;
        while let Some((_, end)) = open.pop_if(|(end, _)| *end <= at) {
            line.out.push_str(&end);
            line.closed = true;
        }
        while let Some((index, mark)) = next.next_if(|(_, mark)| mark.range.start <= at) {
            // Nothing is marked within backticks.
            let holds_marks = marks.get(index + 1).is_some_and(|inner| inner.range.start < mark.range.end);
            let end = if mark.kind == MarkKind::Code && !holds_marks {
                literal_until = mark.range.end;
                line.open_code(mark)
            } else {
                line.open(mark)
            };
            open.push((mark.range.end, end));
        }
    }
    line.out
}

/// The marks that can be written: on character boundaries, nested in one another, each kind once, those that touch as one.
fn marks(text: &Text) -> Vec<Mark> {
    let mut sorted: Vec<Mark> = text
        .marks
        .iter()
        .filter_map(|mark| {
            // Spaces at its ends are not marked: a delimiter beside one is none.
            let part = text.text.get(mark.range.clone()).filter(|part| !part.trim().is_empty())?;
            let start = mark.range.start + (part.len() - part.trim_start().len());
            Some(Mark { range: start..start + part.trim().len(), kind: mark.kind.clone() })
        })
        .collect();
    // Of marks on the same range code stands innermost.
    sorted.sort_by_key(|mark| (mark.range.start, Reverse(mark.range.end), mark.kind == MarkKind::Code));
    let mut kept: Vec<Mark> = Vec::with_capacity(sorted.len());
    let mut open: Vec<usize> = Vec::new();
    for mut mark in sorted {
        let mut ended = Vec::new();
        while let Some(index) = open.pop_if(|index| kept[*index].range.end <= mark.range.start) {
            ended.push(index);
        }
        let outer = open.last().map_or(usize::MAX, |index| kept[*index].range.end);
        // One that reaches out of another is cut at the other's end.
        mark.range.end = mark.range.end.min(outer);
        if let [index] = ended[..]
            && kept[index].range.end == mark.range.start
            && kept[index].kind == mark.kind
        {
            kept[index].range.end = mark.range.end;
            open.push(index);
            continue;
        }
        let is_link = |kind: &MarkKind| matches!(kind, MarkKind::Link(_));
        let is_again = |index: &usize| {
            let outer = &kept[*index].kind;
            *outer == mark.kind || is_link(outer) && is_link(&mark.kind)
        };
        if !open.iter().any(is_again) {
            open.push(kept.len());
            kept.push(mark);
        }
    }
    kept
}

/// A line that is being written.
struct Line<'a> {
    text: &'a str,
    place: Where,
    out: String,
    /// Whether the last thing written was the end of a mark.
    closed: bool,
}

impl Line<'_> {
    fn plain(&mut self, range: Range<usize>, literal: bool) {
        let Some(part) = self.text.get(range.clone()).filter(|part| !part.is_empty()) else { return };
        self.closed = false;
        if literal {
            // A row is cut at its bars before anything else is read.
            self.out.push_str(&if self.place == Where::Cell {
                part.replace('|', "\\|")
            } else {
                part.into()
            });
            return;
        }
        for (offset, c) in part.char_indices() {
            if self.is_special(range.start + offset, c) {
                self.out.push('\\');
            }
            self.out.push(c);
        }
    }

    /// Whether a character means something in Markdown where it stands.
    fn is_special(&self, at: usize, c: char) -> bool {
        let (before, after) = (&self.text[..at], &self.text[at + c.len_utf8()..]);
        let begins = self.place == Where::Paragraph && before.is_empty();
        match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '~' => true,
            // Within a word it is only itself.
            '_' => !(before.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric)),
            '&' => is_reference(after),
            '|' => self.place == Where::Cell,
            '#' => begins || self.place == Where::Heading && after.trim_matches('#').is_empty(),
            '>' | '+' | '-' | '=' => begins,
            '.' | ')' => {
                self.place == Where::Paragraph
                    && (1..=9).contains(&before.len())
                    && before.bytes().all(|byte| byte.is_ascii_digit())
            }
            _ => false,
        }
    }

    /// Writes the beginning of a mark; gives what ends it.
    fn open(&mut self, mark: &Mark) -> String {
        let (tag, delimiter) = match &mark.kind {
            MarkKind::Link(address) => {
                if self.out.ends_with('!') {
                    // It would make the link a picture.
                    self.out.insert(self.out.len() - 1, '\\');
                }
                self.out.push('[');
                return format!("]({})", destination(address));
            }
            MarkKind::Emphasis => ("em", "*"),
            MarkKind::Strong => ("strong", "**"),
            MarkKind::Deleted => ("del", "~~"),
            MarkKind::Code => ("code", ""),
            MarkKind::Subscript => ("sub", ""),
            MarkKind::Superscript => ("sup", ""),
        };
        if !delimiter.is_empty() && !self.closed && self.stands_apart(mark) {
            self.out.push_str(delimiter);
            delimiter.to_owned()
        } else {
            self.out.extend(["<", tag, ">"]);
            format!("</{tag}>")
        }
    }

    fn open_code(&mut self, mark: &Mark) -> String {
        let code = &self.text[mark.range.clone()];
        let fence = "`".repeat(longest_run(code) + 1);
        let padding = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
        self.out.push_str(&fence);
        self.out.push_str(padding);
        format!("{padding}{fence}")
    }

    /// Whether a mark begins and ends where words do, as delimiters need ("left-flanking", "right-flanking").
    fn stands_apart(&self, mark: &Mark) -> bool {
        let (before, after) = (&self.text[..mark.range.start], &self.text[mark.range.end..]);
        let part = &self.text[mark.range.clone()];
        let is_edge = |c: char| c.is_whitespace() || c.is_ascii_punctuation();
        part.trim() == part
            && (before.is_empty() || before.ends_with(is_edge))
            && (after.is_empty() || after.starts_with(is_edge))
    }
}

/// Whether what follows an ampersand makes it a character reference.
fn is_reference(after: &str) -> bool {
    let name = after.split(';').next().unwrap_or_default();
    name.len() < after.len()
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'#')
}

/// The address of a link, between angle brackets where it would end early without them.
fn destination(address: &str) -> String {
    let mut written = String::with_capacity(address.len());
    for (at, c) in address.char_indices().filter(|(_, c)| !c.is_control()) {
        if matches!(c, '\\' | '<' | '>') || c == '&' && is_reference(&address[at + 1..]) {
            written.push('\\');
        }
        written.push(c);
    }
    if written.is_empty() || written.contains([' ', '(', ')', '<', '>']) {
        format!("<{written}>")
    } else {
        written
    }
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests;
