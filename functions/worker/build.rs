//! Exports the function that pdfium is to call instead of FreeType's own (`pdf/core/src/pdfium/glyphs.rs`).

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    // The linker of `cargo lambda` knows no option to export one symbol, and would export all, also those of libraries that
    // LibreOffice has too. A worker that it links reads text more slowly, and says so in its log.
    let is_zig = std::env::var("RUSTC_LINKER").is_ok_and(|linker| linker.contains("zigcc"));
    if !is_zig {
        println!("cargo::rustc-link-arg-bins=-Wl,--export-dynamic-symbol=FT_Load_Glyph");
    }
}
