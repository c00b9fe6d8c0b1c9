//! Exports the function that pdfium must call instead of FreeType's own (`core/src/pdfium/glyphs.rs`).

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-examples=-Wl,--export-dynamic-symbol=FT_Load_Glyph");
    println!("cargo::rustc-link-arg-tests=-Wl,--export-dynamic-symbol=FT_Load_Glyph");
}
