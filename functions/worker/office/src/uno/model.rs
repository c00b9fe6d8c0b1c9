//! Settings of a document between loading and printing.

use std::io;

use docmill_office_rewrite::{Compression, Separator};

use super::{Any, Hidden, Properties, Property, RawObject, Text, place, ptr};

/// LibreOffice's switch between text with marked changes and text with all changes accepted.
const SHOW_CHANGES: &str = "ShowTrackedChanges";

impl Hidden<'_> {
    /// Sets all pages of a text document or spreadsheet to landscape or portrait.
    pub(crate) fn turn_pages(&self, landscape: bool) -> io::Result<()> {
        self.for_page_styles(|style| self.turn_page(style, landscape))
    }

    /// Sets the space above the footnotes of all pages.
    pub(crate) fn space_footnotes(&self, separator: Separator) -> io::Result<()> {
        self.for_page_styles(|style| {
            self.set(style, "FootnoteLineTextDistance", &Property::Long(separator.above))?;
            self.set(style, "FootnoteLineDistance", &Property::Long(separator.below))
        })
    }

    fn for_page_styles(&self, change: impl Fn(*mut RawObject) -> io::Result<()>) -> io::Result<()> {
        let styles = self.page_styles()?;
        let mut count = 0_i32;
        // SAFETY: the styles were queried for this interface; the method takes nothing and returns 32 bits.
        unsafe { self.uno.call(styles, "com.sun.star.container.XIndexAccess::getCount", &mut count, &mut [])? };
        for mut index in 0..count {
            let mut style = Any::EMPTY;
            let get = "com.sun.star.container.XIndexAccess::getByIndex";
            // SAFETY: the styles were queried for this interface; the method takes 32 bits and returns an Any.
            unsafe { self.uno.call(styles, get, &mut style, &mut [place(&mut index)])? };
            let style = self.uno.query(object(&style)?, "com.sun.star.beans.XPropertySet")?;
            change(style)?;
        }
        Ok(())
    }

    /// Lets punctuation in lines of East Asian text give way for one more letter.
    pub(crate) fn compress(&self, compression: Compression) -> io::Result<()> {
        // `com.sun.star.text.CharacterCompressionType`
        let kind = match compression {
            Compression::None => return Ok(()),
            Compression::Punctuation => 1,
            Compression::PunctuationAndKana => 2,
        };
        let factory = self.uno.query(self.object, "com.sun.star.lang.XMultiServiceFactory")?;
        let mut name = Text::new(&self.uno.library, "com.sun.star.document.Settings");
        let mut settings: *mut RawObject = ptr::null_mut();
        let create = "com.sun.star.lang.XMultiServiceFactory::createInstance";
        // SAFETY: the document was queried for this interface; the method takes a text and returns an object.
        unsafe { self.uno.call(factory, create, &mut settings, &mut [name.place()])? };
        let settings = self.uno.query(settings, "com.sun.star.beans.XPropertySet")?;
        self.set(settings, "CharacterCompressionType", &Property::Short(kind))
    }

    /// The names of a spreadsheet's sheets in order.
    pub(crate) fn sheet_names(&self) -> io::Result<Vec<String>> {
        let sheets = self.uno.query(self.sheets()?, "com.sun.star.container.XNameAccess")?;
        let mut names: *mut RawSequence = ptr::null_mut();
        let get = "com.sun.star.container.XNameAccess::getElementNames";
        // SAFETY: the sheets were queried for this interface; the method takes nothing and returns a sequence of texts.
        unsafe {
            self.uno.call(sheets, get, &mut names, &mut [])?;
            texts(names)
        }
    }

    /// The sheets of a spreadsheet.
    pub(super) fn sheets(&self) -> io::Result<*mut RawObject> {
        let document = self.uno.query(self.object, "com.sun.star.sheet.XSpreadsheetDocument")?;
        let mut sheets: *mut RawObject = ptr::null_mut();
        let get = "com.sun.star.sheet.XSpreadsheetDocument::getSheets";
        // SAFETY: the document was queried for this interface; the method takes nothing and returns an object.
        unsafe { self.uno.call(document, get, &mut sheets, &mut [])? };
        Ok(sheets)
    }

    /// The text of a cell that was queried for it.
    pub(super) fn cell_text(&self, cell: *mut RawObject) -> io::Result<String> {
        let mut text: *mut RawUnits = ptr::null_mut();
        // SAFETY: the cell was queried for this interface; the method takes nothing and returns a text.
        unsafe { self.uno.call(cell, "com.sun.star.text.XTextRange::getString", &mut text, &mut [])? };
        // SAFETY: the method has just returned it.
        if text.is_null() { Ok(String::new()) } else { unsafe { read(text) } }
    }

    fn page_styles(&self) -> io::Result<*mut RawObject> {
        let supplier = self.uno.query(self.object, "com.sun.star.style.XStyleFamiliesSupplier")?;
        let mut families: *mut RawObject = ptr::null_mut();
        let get = "com.sun.star.style.XStyleFamiliesSupplier::getStyleFamilies";
        // SAFETY: the document was queried for this interface; the method takes nothing and returns an object.
        unsafe { self.uno.call(supplier, get, &mut families, &mut [])? };
        let (mut name, mut styles) = (Text::new(&self.uno.library, "PageStyles"), Any::EMPTY);
        let get = "com.sun.star.container.XNameAccess::getByName";
        // SAFETY: the families have this interface; the method takes a text and returns an Any.
        unsafe { self.uno.call(families, get, &mut styles, &mut [name.place()])? };
        self.uno.query(object(&styles)?, "com.sun.star.container.XIndexAccess")
    }

    fn turn_page(&self, style: *mut RawObject, landscape: bool) -> io::Result<()> {
        let (width, height) = (self.length(style, "Width")?, self.length(style, "Height")?);
        if (width > height) == landscape {
            return Ok(());
        }
        self.set(style, "IsLandscape", &Property::Boolean(landscape))?;
        self.set(style, "Width", &Property::Long(height))?;
        self.set(style, "Height", &Property::Long(width))
    }

    /// In hundredths of a millimetre.
    pub(super) fn length(&self, object: *mut RawObject, name: &str) -> io::Result<i32> {
        let (mut name, mut value) = (Text::new(&self.uno.library, name), Any::EMPTY);
        let get = "com.sun.star.beans.XPropertySet::getPropertyValue";
        // SAFETY: callers query this interface; the method takes a text and returns an Any.
        unsafe { self.uno.call(object, get, &mut value, &mut [name.place()])? };
        // SAFETY: page styles and columns define their lengths as longs, and `data` is its address.
        let length = unsafe { value.data.cast::<i32>().as_ref() };
        length.copied().ok_or_else(|| io::Error::other("a page without a size"))
    }

    pub(super) fn set(&self, object: *mut RawObject, name: &str, value: &Property) -> io::Result<()> {
        let (mut name, mut any) = (Text::new(&self.uno.library, name), Any::EMPTY);
        self.uno.fill(&mut any, value)?;
        let set = "com.sun.star.beans.XPropertySet::setPropertyValue";
        // SAFETY: callers query this interface; the method takes a text and an Any, and returns nothing.
        unsafe { self.uno.call(object, set, &mut (), &mut [name.place(), place(&mut any)]) }
    }

    /// Whether it is a text document with tracked changes.
    pub(crate) fn has_changes(&self) -> io::Result<bool> {
        let Ok(supplier) = self.uno.query(self.object, "com.sun.star.document.XRedlinesSupplier") else {
            return Ok(false);
        };
        let mut changes: *mut RawObject = ptr::null_mut();
        let get = "com.sun.star.document.XRedlinesSupplier::getRedlines";
        // SAFETY: the document was queried for this interface; the method takes nothing and returns an object.
        unsafe { self.uno.call(supplier, get, &mut changes, &mut [])? };
        let mut has_some = 0_u8;
        let ask = "com.sun.star.container.XElementAccess::hasElements";
        // SAFETY: every collection has this interface; the method takes nothing and returns a boolean, which is a byte.
        unsafe { self.uno.call(changes, ask, &mut has_some, &mut [])? };
        Ok(has_some != 0)
    }

    /// Shows the text as if all changes were accepted. The document itself is not changed, since it may be protected.
    pub(crate) fn hide_changes(&self) -> io::Result<()> {
        self.dispatch(SHOW_CHANGES, vec![(SHOW_CHANGES.to_owned(), Property::Boolean(false))])
    }

    /// Accepts all changes. Protected documents keep them.
    pub(crate) fn accept_changes(&self) -> io::Result<()> {
        self.dispatch("AcceptAllTrackedChanges", Vec::new())
    }

    /// Sends one of LibreOffice's commands to the document's window.
    fn dispatch(&self, command: &str, arguments: Properties) -> io::Result<()> {
        let model = self.uno.query(self.object, "com.sun.star.frame.XModel")?;
        let mut controller: *mut RawObject = ptr::null_mut();
        // SAFETY: the document was queried for this interface; the method takes nothing and returns an object.
        unsafe { self.uno.call(model, "com.sun.star.frame.XModel::getCurrentController", &mut controller, &mut [])? };
        let mut frame: *mut RawObject = ptr::null_mut();
        // SAFETY: the controller is null or has this interface; the method takes nothing and returns an object.
        unsafe { self.uno.call(controller, "com.sun.star.frame.XController::getFrame", &mut frame, &mut [])? };
        let mut frame = self.uno.query(frame, "com.sun.star.frame.XDispatchProvider")?;
        let helper = self.uno.create("com.sun.star.frame.DispatchHelper")?;
        let helper = self.uno.query(helper, "com.sun.star.frame.XDispatchHelper")?;
        let (mut command, mut target) =
            (Text::new(&self.uno.library, &format!(".uno:{command}")), Text::new(&self.uno.library, ""));
        let mut properties = self.uno.sequence(&arguments)?;
        let (mut flags, mut answer) = (0_i32, Any::EMPTY);
        let places =
            &mut [place(&mut frame), command.place(), target.place(), place(&mut flags), place(&mut properties)];
        self.uno.be_kit(false);
        let dispatch = "com.sun.star.frame.XDispatchHelper::executeDispatch";
        // SAFETY: the helper was queried for this interface; the method takes an object, two texts, 32 bits and a sequence of
        // properties, and returns an Any.
        let dispatched = unsafe { self.uno.call(helper, dispatch, &mut answer, places) };
        self.uno.be_kit(true);
        dispatched
    }
}

/// LibreOffice's `uno_Sequence`. Its elements follow.
#[repr(C)]
struct RawSequence {
    users: i32,
    length: i32,
}

/// LibreOffice's `rtl_uString`. Its UTF-16 units follow.
#[repr(C)]
struct RawUnits {
    users: i32,
    length: i32,
}

/// # Safety
/// It must be a text, and not null.
unsafe fn read(text: *const RawUnits) -> io::Result<String> {
    // SAFETY: the caller guarantees that the pointer is valid. A text's units follow its header, which is as long as a pointer.
    unsafe {
        let length = usize::try_from((*text).length).map_err(io::Error::other)?;
        Ok(String::from_utf16_lossy(std::slice::from_raw_parts(text.add(1).cast::<u16>(), length)))
    }
}

/// The texts of a sequence. It is not freed, since the process is about to end.
///
/// # Safety
/// It must be null or a sequence of texts.
unsafe fn texts(sequence: *const RawSequence) -> io::Result<Vec<String>> {
    let length = |length: i32| usize::try_from(length).map_err(io::Error::other);
    // SAFETY: the caller guarantees that the pointer is null or valid. Elements follow the header, which is as long as a pointer.
    // Elements of a sequence of texts are never null.
    unsafe {
        let Some(header) = sequence.as_ref() else { return Ok(Vec::new()) };
        let elements = std::slice::from_raw_parts(sequence.add(1).cast::<*const RawUnits>(), length(header.length)?);
        elements.iter().map(|text| read(*text)).collect()
    }
}

/// The object in an Any.
pub(super) fn object(value: &Any) -> io::Result<*mut RawObject> {
    // Objects are stored in the Any itself. A value without a type has its data elsewhere.
    let is_object = ptr::eq(value.data, ptr::from_ref(&value.reserved).cast());
    if is_object && !value.reserved.is_null() {
        Ok(value.reserved.cast())
    } else {
        Err(io::Error::other("a value that is no object"))
    }
}
