//! The fields of a text document.

use std::io;

use super::model::object;
use super::{Any, Hidden, Property, RawObject, Text, ptr};

const FILE_NAME: &str = "com.sun.star.text.TextField.FileName";
/// `com.sun.star.text.FilenameDisplayFormat.NAME_AND_EXT`
const NAME_AND_EXTENSION: i16 = 3;

impl Hidden<'_> {
    /// Makes fields with path and name show only the document's name, since the path is that of a temporary folder.
    pub(crate) fn show_name_without_path(&self) -> io::Result<()> {
        let Ok(supplier) = self.uno.query(self.object, "com.sun.star.text.XTextFieldsSupplier") else {
            return Ok(());
        };
        let mut fields: *mut RawObject = ptr::null_mut();
        let get = "com.sun.star.text.XTextFieldsSupplier::getTextFields";
        // SAFETY: the document was queried for this interface; the method takes nothing and returns an object.
        unsafe { self.uno.call(supplier, get, &mut fields, &mut [])? };
        let mut each: *mut RawObject = ptr::null_mut();
        let enumerate = "com.sun.star.container.XEnumerationAccess::createEnumeration";
        // SAFETY: the fields have this interface; the method takes nothing and returns an object.
        unsafe { self.uno.call(fields, enumerate, &mut each, &mut [])? };
        while self.has_more(each)? {
            let mut field = Any::EMPTY;
            let next = "com.sun.star.container.XEnumeration::nextElement";
            // SAFETY: the enumeration has this interface; the method takes nothing and returns an Any.
            unsafe { self.uno.call(each, next, &mut field, &mut [])? };
            let field = object(&field)?;
            if self.is_of(field, FILE_NAME)? {
                let field = self.uno.query(field, "com.sun.star.beans.XPropertySet")?;
                self.set(field, "FileFormat", &Property::Short(NAME_AND_EXTENSION))?;
            }
        }
        Ok(())
    }

    fn has_more(&self, enumeration: *mut RawObject) -> io::Result<bool> {
        let mut has_more = 0_u8;
        let ask = "com.sun.star.container.XEnumeration::hasMoreElements";
        // SAFETY: callers pass an enumeration; the method takes nothing and returns a boolean, which is a byte.
        unsafe { self.uno.call(enumeration, ask, &mut has_more, &mut [])? };
        Ok(has_more != 0)
    }

    fn is_of(&self, object: *mut RawObject, service: &str) -> io::Result<bool> {
        let object = self.uno.query(object, "com.sun.star.lang.XServiceInfo")?;
        let (mut service, mut supports) = (Text::new(&self.uno.library, service), 0_u8);
        let ask = "com.sun.star.lang.XServiceInfo::supportsService";
        // SAFETY: the object was queried for this interface; the method takes a text and returns a boolean, which is a byte.
        unsafe { self.uno.call(object, ask, &mut supports, &mut [service.place()])? };
        Ok(supports != 0)
    }
}
