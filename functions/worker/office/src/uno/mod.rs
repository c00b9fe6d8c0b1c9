//! The parts of LibreOffice's component model (UNO) that load a document without a view and store it.
//!
//! LibreOfficeKit loads each document into an invisible window and accepts no import filter. UNO, which it uses too, can load
//! documents hidden and with a filter. It is called here through its stable binary interface: type descriptions by name, and one
//! function per object that dispatches all of its methods.

#![allow(unsafe_code, reason = "a C interface has no safe form")]

mod fields;
mod model;
mod rows;
mod table;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::path::Path;
use std::ptr;

/// The value of a named property.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Property {
    Boolean(bool),
    Short(i16),
    Long(i32),
    Text(String),
    Several(Properties),
}

pub(super) type Properties = Vec<(String, Property)>;

/// Reference-counted UTF-16 text of LibreOffice.
type RawText = c_void;
/// A description of a type or a method.
type Description = c_void;

/// A value with its type.
#[repr(C)]
struct Any {
    kind: *mut c_void,
    /// Points to the value.
    data: *mut c_void,
    reserved: *mut c_void,
}

impl Any {
    const EMPTY: Self = Self { kind: ptr::null_mut(), data: ptr::null_mut(), reserved: ptr::null_mut() };
}

/// `com.sun.star.beans.PropertyValue`.
#[repr(C)]
struct RawProperty {
    name: *mut RawText,
    handle: i32,
    value: Any,
    state: i32,
}

#[repr(C)]
struct RawObject {
    acquire: unsafe extern "C" fn(*mut RawObject),
    release: unsafe extern "C" fn(*mut RawObject),
    dispatch: unsafe extern "C" fn(*mut RawObject, *const Description, *mut c_void, *mut *mut c_void, *mut *mut Any),
}

/// Maps objects between environments, here C++ and the binary interface.
#[repr(C)]
struct Mapping {
    acquire: unsafe extern "C" fn(*mut Mapping),
    release: unsafe extern "C" fn(*mut Mapping),
    map: unsafe extern "C" fn(*mut Mapping, *mut *mut RawObject, *mut c_void, *mut Description),
}

/// A C++ function that returns an object reference writes it to memory that the caller provides, like C functions that return
/// structures larger than two words. It writes the first word.
#[repr(C)]
struct Returned([MaybeUninit<*mut c_void>; 4]);

type Acquire = Option<unsafe extern "C" fn(*mut c_void)>;

/// The type class of interfaces.
const INTERFACE: c_int = 22;

/// The functions of `libuno_sal` and `libuno_cppu`, and one of LibreOffice.
struct Library {
    text_new: unsafe extern "C" fn(*mut *mut RawText, *const u16, i32),
    text_release: unsafe extern "C" fn(*mut RawText),
    describe: unsafe extern "C" fn(*mut *mut Description, *mut RawText),
    refer: unsafe extern "C" fn(*mut *mut c_void, c_int, *mut RawText),
    complete: unsafe extern "C" fn(*mut *mut Description),
    any_construct: unsafe extern "C" fn(*mut Any, *mut c_void, *mut Description, Acquire),
    sequence_construct: unsafe extern "C" fn(*mut *mut c_void, *mut Description, *mut c_void, i32, Acquire) -> u8,
    environment: unsafe extern "C" fn(*mut *mut c_void, *mut RawText, *mut c_void),
    mapping: unsafe extern "C" fn(*mut *mut Mapping, *mut c_void, *mut c_void, *mut RawText),
    factory: unsafe extern "C" fn() -> Returned,
    set_kit_active: unsafe extern "C" fn(bool),
}

/// UNO in a process in which LibreOffice is started.
pub(super) struct Uno {
    library: Library,
    factory: *mut RawObject,
    desktop: *mut RawObject,
}

impl std::fmt::Debug for Uno {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Uno")
    }
}

/// A loaded document. It stays loaded until it is closed or the process ends.
#[derive(Debug)]
pub(super) struct Hidden<'a> {
    uno: &'a Uno,
    object: *mut RawObject,
}

impl Uno {
    /// Fails if a function is missing, as in other versions of LibreOffice.
    pub(super) fn start() -> io::Result<Self> {
        let library = Library::find()?;
        let factory = library.process_factory()?;
        let mut uno = Self { library, factory, desktop: ptr::null_mut() };
        let desktop = uno.create("com.sun.star.frame.Desktop")?;
        uno.desktop = uno.query(desktop, "com.sun.star.frame.XComponentLoader")?;
        Ok(uno)
    }

    pub(super) fn be_kit(&self, is_kit: bool) {
        // SAFETY: the function only sets a flag.
        unsafe { (self.library.set_kit_active)(is_kit) };
    }

    /// Creates an object of a service.
    fn create(&self, service: &str) -> io::Result<*mut RawObject> {
        let mut name = Text::new(&self.library, service);
        let mut object = ptr::null_mut();
        let create = "com.sun.star.lang.XMultiServiceFactory::createInstance";
        // SAFETY: the factory has this interface; the method takes a text and returns an object.
        unsafe { self.call(self.factory, create, &mut object, &mut [name.place()])? };
        Ok(object)
    }

    /// Loads a document from a `file:` URL without showing it. `None` if LibreOffice can't.
    pub(super) fn load(&self, url: &str, properties: &Properties) -> io::Result<Option<Hidden<'_>>> {
        let (mut url, mut frame) = (Text::new(&self.library, url), Text::new(&self.library, "_blank"));
        let (mut flags, mut properties) = (0_i32, self.sequence(properties)?);
        let mut object: *mut RawObject = ptr::null_mut();
        let arguments = &mut [url.place(), frame.place(), place(&mut flags), place(&mut properties)];
        let method = "com.sun.star.frame.XComponentLoader::loadComponentFromURL";
        // SAFETY: the desktop was queried for this interface; the method takes two texts, a 32-bit number and a sequence of
        // properties, and returns an object.
        let loaded = unsafe { self.call(self.desktop, method, &mut object, arguments) };
        Ok((loaded.is_ok() && !object.is_null()).then_some(Hidden { uno: self, object }))
    }

    /// Loads a document without a window, not even a hidden one. `model` is the service for this kind of document; `properties`
    /// name the URL and import filter. `None` if LibreOffice can't.
    pub(super) fn load_without_window(&self, model: &str, properties: &Properties) -> io::Result<Option<Hidden<'_>>> {
        let object = self.create(model)?;
        let loadable = self.query(object, "com.sun.star.frame.XLoadable")?;
        let mut properties = self.sequence(properties)?;
        let arguments = &mut [place(&mut properties)];
        // SAFETY: the object was queried for this interface; the method takes a sequence of properties and returns nothing.
        let loaded = unsafe { self.call(loadable, "com.sun.star.frame.XLoadable::load", &mut (), arguments) };
        Ok(loaded.is_ok().then_some(Hidden { uno: self, object }))
    }

    /// Another interface of the same object.
    fn query(&self, object: *mut RawObject, interface: &str) -> io::Result<*mut RawObject> {
        let name = Text::new(&self.library, interface);
        let mut kind: *mut c_void = ptr::null_mut();
        // SAFETY: the name is a text. The reference is initialised and never freed.
        unsafe { (self.library.refer)(&mut kind, INTERFACE, name.raw) };
        let mut answer = Any::EMPTY;
        let query = "com.sun.star.uno.XInterface::queryInterface";
        // SAFETY: every object has this interface; the method takes a type reference and returns an Any.
        unsafe { self.call(object, query, &mut answer, &mut [place(&mut kind)])? };
        // Objects are stored in the Any itself. A value without a type has its data elsewhere.
        let is_object = ptr::eq(answer.data, ptr::from_ref(&answer.reserved).cast());
        if is_object && !answer.reserved.is_null() {
            Ok(answer.reserved.cast())
        } else {
            Err(io::Error::other(format!("no {interface}")))
        }
    }

    /// Calls a method by its full name.
    ///
    /// # Safety
    /// The object must be null or have the method's interface. `T` must be the representation of the method's return type, of
    /// size zero if it returns nothing. The arguments must point to values of all its parameter types.
    unsafe fn call<T>(
        &self,
        object: *mut RawObject,
        method: &str,
        answer: &mut T,
        arguments: &mut [*mut c_void],
    ) -> io::Result<()> {
        if object.is_null() {
            return Err(io::Error::other(format!("no object for {method}")));
        }
        let description = self.library.describe(method)?;
        let mut exception = Any::EMPTY;
        let mut thrown = ptr::from_mut(&mut exception);
        // SAFETY: objects are never released, so this one is valid. The caller guarantees the rest.
        unsafe {
            let answer = if size_of::<T>() == 0 { ptr::null_mut() } else { place(answer) };
            ((*object).dispatch)(object, description, answer, arguments.as_mut_ptr(), &mut thrown);
        }
        // Its message may quote the document. It is not freed, since the process is about to end.
        if thrown.is_null() { Ok(()) } else { Err(io::Error::other(format!("an exception in {method}"))) }
    }

    /// A sequence of properties. It is not freed: the process is about to end, or is warming up.
    fn sequence(&self, properties: &Properties) -> io::Result<*mut c_void> {
        let mut elements = Vec::with_capacity(properties.len());
        for (name, value) in properties {
            let name = Text::new(&self.library, name).into_raw();
            elements.push(RawProperty { name, handle: -1, value: Any::EMPTY, state: 0 });
            // Filled in place, and not moved again: the vector has enough capacity.
            if let Some(element) = elements.last_mut() {
                self.fill(&mut element.value, value)?;
            }
        }
        let length = i32::try_from(elements.len()).map_err(io::Error::other)?;
        let kind = self.library.describe("[]com.sun.star.beans.PropertyValue")?;
        let mut sequence = ptr::null_mut();
        // SAFETY: the elements have the sequence's type and are copied.
        unsafe {
            (self.library.sequence_construct)(&mut sequence, kind, elements.as_mut_ptr().cast(), length, None);
        }
        Ok(sequence)
    }

    /// Builds a value in place: it may contain its own address, so it must not be moved afterwards.
    fn fill(&self, any: &mut Any, value: &Property) -> io::Result<()> {
        // SAFETY: these types are represented by a byte, 16 and 32 bits, and pointers to a text and a sequence.
        unsafe {
            match value {
                Property::Boolean(value) => self.fill_typed(any, "boolean", u8::from(*value)),
                Property::Short(value) => self.fill_typed(any, "short", *value),
                Property::Long(value) => self.fill_typed(any, "long", *value),
                Property::Text(value) => self.fill_typed(any, "string", Text::new(&self.library, value).into_raw()),
                Property::Several(values) => {
                    self.fill_typed(any, "[]com.sun.star.beans.PropertyValue", self.sequence(values)?)
                }
            }
        }
    }

    /// # Safety
    /// `T` must be the representation of the named type.
    unsafe fn fill_typed<T>(&self, any: &mut Any, name: &str, mut value: T) -> io::Result<()> {
        let kind = self.library.describe(name)?;
        // SAFETY: the caller guarantees that the value has the described type. It is copied.
        unsafe { (self.library.any_construct)(any, place(&mut value), kind, None) };
        Ok(())
    }
}

impl Hidden<'_> {
    /// Writes the document to a `file:` URL. Returns whether LibreOffice reports success.
    ///
    /// LibreOfficeKit mode, which renders tiles for viewers, is off while storing: LibreOffice 25.2 would print form controls
    /// without their text. It is on while loading, because its language determines that of dates.
    pub(super) fn store(&self, url: &str, properties: &Properties) -> io::Result<bool> {
        let storable = self.uno.query(self.object, "com.sun.star.frame.XStorable")?;
        let mut url = Text::new(&self.uno.library, url);
        let mut properties = self.uno.sequence(properties)?;
        let arguments = &mut [url.place(), place(&mut properties)];
        self.uno.be_kit(false);
        // SAFETY: the object was queried for this interface; the method takes a text and a sequence of properties, and returns
        // nothing.
        let stored = unsafe { self.uno.call(storable, "com.sun.star.frame.XStorable::storeToURL", &mut (), arguments) };
        self.uno.be_kit(true);
        Ok(stored.is_ok())
    }

    /// Frees the document.
    pub(super) fn close(self) -> io::Result<()> {
        let closeable = self.uno.query(self.object, "com.sun.star.util.XCloseable")?;
        let mut at_once = 1_u8;
        let arguments = &mut [place(&mut at_once)];
        // SAFETY: the object was queried for this interface; the method takes a boolean, which is a byte, and returns nothing.
        unsafe { self.uno.call(closeable, "com.sun.star.util.XCloseable::close", &mut (), arguments) }
    }
}

impl Library {
    fn find() -> io::Result<Self> {
        // SAFETY: UNO's public headers, and comphelper's for the last one, declare these types for the functions.
        unsafe {
            Ok(Self {
                text_new: symbol(c"rtl_uString_newFromStr_WithLength")?,
                text_release: symbol(c"rtl_uString_release")?,
                describe: symbol(c"typelib_typedescription_getByName")?,
                refer: symbol(c"typelib_typedescriptionreference_new")?,
                complete: symbol(c"typelib_typedescription_complete")?,
                any_construct: symbol(c"uno_any_construct")?,
                sequence_construct: symbol(c"uno_sequence_construct")?,
                environment: symbol(c"uno_getEnvironment")?,
                mapping: symbol(c"uno_getMapping")?,
                factory: symbol(c"_ZN10comphelper24getProcessServiceFactoryEv")?,
                set_kit_active: symbol(c"_ZN10comphelper14LibreOfficeKit9setActiveEb")?,
            })
        }
    }

    /// The process's service factory, by the binary interface. All versions return it in the same way, unlike the component
    /// context, which LibreOffice 7.4 returns as a value and 25.2 as a reference.
    fn process_factory(&self) -> io::Result<*mut RawObject> {
        let (cpp, binary) = (Text::new(self, "gcc3"), Text::new(self, "uno"));
        let kind = self.describe("com.sun.star.lang.XMultiServiceFactory")?;
        let (mut from, mut to) = (ptr::null_mut(), ptr::null_mut());
        let (mut mapping, mut object) = (ptr::null_mut::<Mapping>(), ptr::null_mut());
        // SAFETY: the names are texts; each function initialises its output or leaves it null.
        unsafe {
            (self.environment)(&mut from, cpp.raw, ptr::null_mut());
            (self.environment)(&mut to, binary.raw, ptr::null_mut());
            (self.mapping)(&mut mapping, from, to, ptr::null_mut());
            if let Some(carrier) = mapping.as_ref() {
                let factory = (self.factory)().0[0].assume_init();
                (carrier.map)(mapping, &mut object, factory, kind);
            }
        }
        if object.is_null() { Err(io::Error::other("no factory of services")) } else { Ok(object) }
    }

    /// The complete description of a type, or of a method as `interface::method`. Descriptions are never freed.
    fn describe(&self, name: &str) -> io::Result<*mut Description> {
        let text = Text::new(self, name);
        let mut description = ptr::null_mut();
        // SAFETY: the name is a text; the description is null or valid, and its reference is counted.
        unsafe {
            (self.describe)(&mut description, text.raw);
            if description.is_null() {
                return Err(io::Error::other(format!("LibreOffice has no {name}")));
            }
            (self.complete)(&mut description);
        }
        Ok(description)
    }
}

/// Looks up a function by name in the loaded libraries.
///
/// # Safety
/// `F` must be the type of that function.
unsafe fn symbol<F: Copy>(name: &CStr) -> io::Result<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let name: *const c_char = name.as_ptr();
    // SAFETY: the name is a C string, and the default handle searches the loaded libraries.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name) };
    if address.is_null() {
        return Err(io::Error::other("LibreOffice lacks a function of UNO's"));
    }
    // SAFETY: function pointers have the size of pointers, and the caller guarantees the type.
    Ok(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&address) })
}

fn place<T>(value: &mut T) -> *mut c_void {
    ptr::from_mut(value).cast()
}

/// A text that is freed on drop.
struct Text<'a> {
    library: &'a Library,
    raw: *mut RawText,
}

impl<'a> Text<'a> {
    fn new(library: &'a Library, text: &str) -> Self {
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut raw = ptr::null_mut();
        // Our texts are far shorter than 2³¹ units.
        let length = i32::try_from(units.len()).unwrap_or(0);
        // SAFETY: there are so many units, which are copied.
        unsafe { (library.text_new)(&mut raw, units.as_ptr(), length) };
        Self { library, raw }
    }

    /// A pointer for method arguments.
    fn place(&mut self) -> *mut c_void {
        place(&mut self.raw)
    }

    /// For values that outlive this one.
    fn into_raw(self) -> *mut RawText {
        let raw = self.raw;
        std::mem::forget(self);
        raw
    }
}

impl Drop for Text<'_> {
    fn drop(&mut self) {
        // SAFETY: the text is valid, and this is its only counted reference.
        unsafe { (self.library.text_release)(self.raw) };
    }
}

pub(super) fn file_url(path: &Path) -> io::Result<String> {
    let url = url::Url::from_file_path(path).map_err(|()| io::Error::other("a path is not absolute"))?;
    Ok(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_without_libreoffice_has_no_uno() {
        assert_eq!(Uno::start().unwrap_err().to_string(), "LibreOffice lacks a function of UNO's");
    }

    #[test]
    fn a_value_that_is_not_an_object_is_an_error() {
        let mut number = 5;
        let value = Any { data: place(&mut number), ..Any::EMPTY };
        for value in [Any::EMPTY, value] {
            assert!(model::object(&value).is_err());
        }
        // The place of an object, but without one.
        let mut nothing = Any::EMPTY;
        nothing.data = ptr::from_ref(&nothing.reserved).cast_mut().cast();
        assert!(model::object(&nothing).is_err());
    }
}
