//! What is known of a block that may be a heading: the same, by the same names, as `tests/extract/headings.py` knows.

macro_rules! features {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(super) struct $name {
            $($(#[$of])* pub(super) $field: f32,)*
        }

        impl $name {
            pub(super) const NAMES: &[&str] = &[$(stringify!($field)),*];

            pub(super) fn values(&self) -> impl Iterator<Item = f32> {
                [$(self.$field),*].into_iter()
            }
        }
    };
}

features! {
    /// What the block and its neighbours tell.
    Local {
        /// Whether rules call it a heading.
        rule,
        /// 1 for an item with a bullet, 2 for one with a number.
        item,
        lines,
        words,
        chars,
        bold,
        italic,
        /// Shares: of capitals in its letters, of words that begin with one, and of digits.
        caps,
        titled,
        digits,
        /// Whether it ends like a sentence, or with such a sign.
        ends,
        colon,
        comma,
        /// Whether it begins with a small letter.
        lower,
        /// How deep its number is.
        number,
        /// Whether it is a line of a table of contents.
        entry,
        /// Where it is: by the page's height, in ems from the left edge and from the middle of its text, by the width of that.
        top,
        indent,
        centre,
        wide,
        /// Whether it is on the first page, or on one that is wider than high.
        first,
        landscape,
        /// How far the blocks above and below are, in ems, what they are, whether their style is the same, and how long they are.
        above_gap,
        above_kind,
        above_same,
        above_words,
        above_size,
        below_gap,
        below_kind,
        below_same,
        below_words,
        below_size,
        /// Whether a table of contents lists it.
        listed,
    }
}

features! {
    /// The means of [`Local`] over blocks that look alike.
    Alike {
        of_chars,
        of_ends,
        of_colon,
        of_lower,
        of_titled,
        of_below_words,
        of_below_same,
        of_above_same,
        of_above_gap,
        of_below_gap,
        of_lines,
        of_indent,
        of_first,
        of_listed,
        /// How many there are, by pages, and on how many pages.
        of_count,
        of_page,
        of_pages,
        /// What is below them.
        of_below_items,
        of_below_tables,
        of_below_headings,
        of_below_texts,
    }
}

features! {
    /// How it stands in the whole document.
    Whole {
        /// Its size by that of the text.
        ratio,
        /// How many blocks have its style, by pages, and on how many pages.
        style,
        style_pages,
        /// How many sizes are larger, and how many styles of what rules call headings are higher, of how many.
        larger,
        ruled,
        ruled_styles,
        /// Headings by rules, and blocks in larger type, by pages.
        rules,
        larger_share,
        /// How often its text is there.
        repeated,
        /// The step of its line in the table of contents, or -1.
        step,
        bold_share,
        pages,
        density,
    }
}

features! {
    /// What is known of a heading among the others.
    Among {
        /// How many styles of headings are higher, of how many, and the share of headings in them.
        size_rank,
        styles,
        size_share,
        /// How deep its number is, beside the others'.
        depth,
        min_depth,
        max_depth,
        numbered_share,
        is_first,
        prev_size,
        next_size,
        prev_depth,
        prev_same,
        /// The share of headings in its style.
        count,
        first_style,
        /// How many styles have come before it.
        first_rank,
        below_is_heading,
        /// Whether the document has a title above all headings.
        has_title,
    }
}
