//! Heights of rows.

use std::io;

use docmill_office_rewrite::Rows;

use super::model::object;
use super::{Any, Hidden, Property, RawObject, Text, place, ptr};

impl Hidden<'_> {
    /// Gives rows the height that their cells need. LibreOffice must have loaded the spreadsheet with the right to change it.
    pub(crate) fn fit_rows(&self, rows: &[Rows]) -> io::Result<()> {
        let mut sheet = None;
        for range in rows {
            let of_sheet = match sheet {
                Some((name, of_sheet)) if name == &range.sheet => of_sheet,
                Some(_) | None => self.sheet(&range.sheet)?,
            };
            sheet = Some((&range.sheet, of_sheet));
            // LibreOffice renames sheets whose name it does not allow.
            if let Some(of_sheet) = of_sheet {
                self.fit(of_sheet, range.first, range.last)?;
            }
        }
        Ok(())
    }

    /// The cells of a sheet, if there is one of this name.
    pub(super) fn sheet(&self, name: &str) -> io::Result<Option<*mut RawObject>> {
        let sheets = self.uno.query(self.sheets()?, "com.sun.star.container.XNameAccess")?;
        let (mut name, mut exists) = (Text::new(&self.uno.library, name), 0_u8);
        let ask = "com.sun.star.container.XNameAccess::hasByName";
        // SAFETY: the sheets were queried for this interface; the method takes a text and returns a boolean, which is a byte.
        unsafe { self.uno.call(sheets, ask, &mut exists, &mut [name.place()])? };
        if exists == 0 {
            return Ok(None);
        }
        let mut sheet = Any::EMPTY;
        let get = "com.sun.star.container.XNameAccess::getByName";
        // SAFETY: the sheets were queried for this interface; the method takes a text and returns an Any.
        unsafe { self.uno.call(sheets, get, &mut sheet, &mut [name.place()])? };
        self.uno.query(object(&sheet)?, "com.sun.star.table.XCellRange").map(Some)
    }

    fn fit(&self, sheet: *mut RawObject, first: i32, last: i32) -> io::Result<()> {
        let rows = self.rows(self.cells(sheet, [0, first, 0, last])?)?;
        self.set(rows, "OptimalHeight", &Property::Boolean(true))
    }

    /// The cells of a rectangle: its left column, top row, right column and bottom row.
    pub(super) fn cells(&self, sheet: *mut RawObject, mut sides: [i32; 4]) -> io::Result<*mut RawObject> {
        let mut cells: *mut RawObject = ptr::null_mut();
        let get = "com.sun.star.table.XCellRange::getCellRangeByPosition";
        let arguments = &mut sides.each_mut().map(place);
        // SAFETY: the sheet was queried for this interface; the method takes four numbers of 32 bits and returns an object.
        unsafe { self.uno.call(sheet, get, &mut cells, arguments)? };
        Ok(cells)
    }

    /// The properties of the rows of cells.
    pub(super) fn rows(&self, cells: *mut RawObject) -> io::Result<*mut RawObject> {
        let cells = self.uno.query(cells, "com.sun.star.table.XColumnRowRange")?;
        let mut rows: *mut RawObject = ptr::null_mut();
        // SAFETY: the cells were queried for this interface; the method takes nothing and returns an object.
        unsafe { self.uno.call(cells, "com.sun.star.table.XColumnRowRange::getRows", &mut rows, &mut [])? };
        self.uno.query(rows, "com.sun.star.beans.XPropertySet")
    }
}
