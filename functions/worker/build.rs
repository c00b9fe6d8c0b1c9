//! Exports the function that pdfium is to call instead of FreeType's own (`pdf/src/pdfium/glyphs.rs`).

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bins=-Wl,--export-dynamic-symbol=FT_Load_Glyph");
}
