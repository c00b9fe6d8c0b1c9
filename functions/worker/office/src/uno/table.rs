//! Widths of columns.

use std::io;

use super::super::table::{Table, Title};
use super::{Hidden, Property, RawObject, Text, place, ptr};

/// The width of columns that wrap their text, in hundredths of a millimetre like all lengths here: most of a page.
const WIDE: i32 = 12_000;

/// The width of titles: that of a page without its margins.
const WIDEST: i32 = 16_500;

/// Most cells beside a title that it wraps in, and a sheet's last column.
const MOST_BESIDE: i32 = 100;
const LAST_COLUMN: i32 = 16_383;

/// Estimates of the width of a letter and the height of a line.
const LETTER: i32 = 190;
const LINE: i32 = 460;

impl Hidden<'_> {
    /// Fits the columns of separated values. LibreOffice must have loaded them with the right to change them.
    pub(crate) fn fit_columns(&self, table: &Table) -> io::Result<()> {
        let names = self.sheet_names()?;
        let Some(sheet) = names.first().map(|name| self.sheet(name)).transpose()?.flatten() else { return Ok(()) };
        let mut titles = Vec::new();
        for title in &table.titles {
            // LibreOffice may read a table otherwise.
            if self.cell_text(self.cell(sheet, title)?)? == title.text {
                self.write_cell(sheet, title, "")?;
                titles.push(title);
            }
        }
        let mut columns: Vec<i32> = titles.iter().map(|title| title.column).collect();
        columns.dedup();
        for column in columns {
            self.set(self.column(sheet, column)?, "OptimalWidth", &Property::Boolean(true))?;
        }
        for title in titles {
            self.write_cell(sheet, title, &title.text)?;
            let width = i32::try_from(title.text.chars().count()).unwrap_or(i32::MAX).saturating_mul(LETTER);
            if width > WIDEST {
                self.wrap_title(sheet, title, width)?;
            }
        }
        for column in &table.wrapped {
            let column = self.column(sheet, *column)?;
            self.set(column, "Width", &Property::Long(WIDE))?;
            self.set(column, "IsTextWrapped", &Property::Boolean(true))?;
        }
        Ok(())
    }

    /// Wraps a title that is wider than the page in the cells beside it, which are empty.
    fn wrap_title(&self, sheet: *mut RawObject, title: &Title, width: i32) -> io::Result<()> {
        let mut last = title.column;
        let mut room = self.length(self.column(sheet, last)?, "Width")?.max(1);
        while last < title.column + MOST_BESIDE && last < LAST_COLUMN {
            let next = self.length(self.column(sheet, last + 1)?, "Width")?;
            if room + next > WIDEST {
                break;
            }
            (last, room) = (last + 1, room + next);
        }
        let cells = self.cells(sheet, [title.column, title.row, last, title.row])?;
        let mergeable = self.uno.query(cells, "com.sun.star.util.XMergeable")?;
        let mut merged = 1_u8;
        let merge = "com.sun.star.util.XMergeable::merge";
        // SAFETY: the cells were queried for this interface; the method takes a boolean, which is a byte, and returns nothing.
        unsafe { self.uno.call(mergeable, merge, &mut (), &mut [place(&mut merged)])? };
        let properties = self.uno.query(cells, "com.sun.star.beans.XPropertySet")?;
        self.set(properties, "IsTextWrapped", &Property::Boolean(true))?;
        let lines = width.saturating_add(room - 1) / room;
        self.set(self.rows(cells)?, "Height", &Property::Long(lines.saturating_mul(LINE)))
    }

    /// The properties of a column.
    fn column(&self, sheet: *mut RawObject, mut column: i32) -> io::Result<*mut RawObject> {
        let sheet = self.uno.query(sheet, "com.sun.star.table.XColumnRowRange")?;
        let mut columns: *mut RawObject = ptr::null_mut();
        // SAFETY: the sheet was queried for this interface; the method takes nothing and returns an object.
        unsafe { self.uno.call(sheet, "com.sun.star.table.XColumnRowRange::getColumns", &mut columns, &mut [])? };
        let columns = self.uno.query(columns, "com.sun.star.container.XIndexAccess")?;
        let mut found = super::Any::EMPTY;
        let get = "com.sun.star.container.XIndexAccess::getByIndex";
        // SAFETY: the columns were queried for this interface; the method takes 32 bits and returns an Any.
        unsafe { self.uno.call(columns, get, &mut found, &mut [place(&mut column)])? };
        self.uno.query(super::model::object(&found)?, "com.sun.star.beans.XPropertySet")
    }

    /// The text of a cell.
    fn cell(&self, sheet: *mut RawObject, title: &Title) -> io::Result<*mut RawObject> {
        let (mut column, mut row) = (title.column, title.row);
        let mut cell: *mut RawObject = ptr::null_mut();
        let get = "com.sun.star.table.XCellRange::getCellByPosition";
        // SAFETY: the sheet has this interface; the method takes two numbers of 32 bits and returns an object.
        unsafe { self.uno.call(sheet, get, &mut cell, &mut [place(&mut column), place(&mut row)])? };
        self.uno.query(cell, "com.sun.star.text.XTextRange")
    }

    fn write_cell(&self, sheet: *mut RawObject, title: &Title, text: &str) -> io::Result<()> {
        let (cell, mut text) = (self.cell(sheet, title)?, Text::new(&self.uno.library, text));
        // SAFETY: the cell was queried for this interface; the method takes a text and returns nothing.
        unsafe { self.uno.call(cell, "com.sun.star.text.XTextRange::setString", &mut (), &mut [text.place()]) }
    }
}
