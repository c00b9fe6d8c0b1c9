//! The LibreOffice that is installed, and the user profile that each conversion gets.

use std::io;
use std::path::{Path, PathBuf};

use crate::engine::fonts::Emoji;

/// Where Debian's packages put LibreOffice.
pub const DEFAULT_PROGRAM_DIRECTORY: &str = "/usr/lib/libreoffice/program";

/// An installed LibreOffice, as its own files describe it.
#[derive(Clone, Debug)]
pub(super) struct Installation {
    pub(super) program: PathBuf,
    /// `7.4`: the product's version, which a profile must name lest LibreOffice takes it for an old one.
    pub(super) version: String,
    build: String,
}

impl Installation {
    /// Reads `bootstraprc` and `versionrc` of a program directory.
    pub(super) fn read(program: &Path) -> io::Result<Self> {
        let product = setting(&program.join("bootstraprc"), "ProductKey")?;
        let version = product.rsplit(' ').next().unwrap_or(&product).to_owned();
        Ok(Self { program: program.to_owned(), version, build: setting(&program.join("versionrc"), "buildid")? })
    }

    /// What LibreOffice consists of, beyond its program directory.
    pub(super) fn directory(&self) -> PathBuf {
        let program = self.program.canonicalize().unwrap_or_else(|_| self.program.clone());
        program.parent().map_or(program.clone(), Path::to_owned)
    }

    /// Coloured glyphs came to PDF with LibreOffice 7.5.
    pub(super) fn emoji(&self) -> Emoji {
        let mut numbers = self.version.split('.').map_while(|number| number.parse::<u32>().ok());
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        if version >= (7, 5) { Emoji::Coloured } else { Emoji::Plain }
    }

    /// Writes a fresh profile into `directory`.
    ///
    /// Without the version, LibreOffice renders self-tests for a second; without the build, it looks through its
    /// extensions and starts anew.
    pub(super) fn write_profile(&self, directory: &Path) -> io::Result<()> {
        let user = directory.join("user");
        std::fs::create_dir_all(user.join("extensions"))?;
        std::fs::write(user.join("extensions/buildid"), &self.build)?;
        std::fs::write(user.join("registrymodifications.xcu"), registry(&self.version))
    }

    /// LibreOffice's layers of configuration, as `fundamentalrc` has them, less what starts threads: the desktop's
    /// settings, and writing to the profile.
    pub(super) fn read_only_layers(&self) -> io::Result<String> {
        let layers = setting(&self.program.join("fundamentalrc"), "CONFIGURATION_LAYERS")?;
        let layers = layers.split(' ').filter(|layer| !layer.starts_with("dconf:"));
        Ok(layers.map(|layer| layer.replace("user:!", "user:*")).collect::<Vec<_>>().join(" "))
    }
}

/// The value of `name=value` in one of LibreOffice's ini files.
fn setting(path: &Path, name: &str) -> io::Result<String> {
    let text = std::fs::read_to_string(path)?;
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
        .map(|value| value.trim().to_owned())
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, format!("no {name} in {}", path.display())))
}

/// Settings of a profile: node, property, value.
///
/// Documents come from strangers: no macros, no links that LibreOffice has a setting for, no update of them. It has none for
/// XForms, for what SVG refers to, and for pictures of embedded documents: what those can read is what the confinement
/// leaves to be read. Nobody edits: no locks, no recovery. The empty system locale leaves paper to the process's locale,
/// whose paper is A4. All of it is final: LibreOfficeKit would set a locale, and so paper, of its own. Pictures that are in
/// use no more are not kept decoded beyond some megabytes: each is drawn once. `DisableActiveContent` is not among them:
/// since LibreOffice 24 it takes away embedded objects too, and so every chart.
const SETTINGS: [(&str, &str, &str); 16] = [
    ("Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Office.Common/Misc", "UseLocking", "false"),
    ("Office.Common/Misc", "UseDocumentOOoLockFile", "false"),
    ("Office.Common/Misc", "UseDocumentSystemFileLocking", "false"),
    ("Office.Common/Misc", "FirstRun", "false"),
    ("Office.Common/Cache/GraphicManager", "GraphicMemoryLimit", "30000000"),
    ("Office.Common/Cache/GraphicManager", "GraphicAllowedIdleTime", "0"),
    ("Office.Recovery/RecoveryInfo", "Enabled", "false"),
    ("Office.Recovery/AutoSave", "Enabled", "false"),
    ("Office.Writer/Content/Update", "Link", "0"),
    ("Office.Writer/Content/Update", "Field", "false"),
    ("Office.Calc/Content/Update", "Link", "1"),
    ("Setup/L10N", "ooLocale", "en-US"),
    ("Setup/L10N", "ooSetupSystemLocale", ""),
];

fn registry(version: &str) -> String {
    let mut xml = String::from(concat!(
        r#"<?xml version="1.0" encoding="UTF-8"?>"#,
        "\n",
        r#"<oor:items xmlns:oor="http://openoffice.org/2001/registry">"#,
        "\n"
    ));
    let settings = [("Setup/Product", "ooSetupLastVersion", version)].into_iter().chain(SETTINGS);
    for (node, property, value) in settings {
        xml.push_str(&format!(
            "<item oor:path=\"/org.openoffice.{node}\"><prop oor:name=\"{property}\" oor:op=\"fuse\" oor:finalized=\"true\">\
             <value>{value}</value></prop></item>\n"
        ));
    }
    xml.push_str("</oor:items>\n");
    xml
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_names_the_installed_version_and_build() {
        let directory = tempfile::TempDir::new().unwrap();
        let program = directory.path();
        std::fs::write(program.join("bootstraprc"), "[Bootstrap]\nProductKey=LibreOffice 24.8\n").unwrap();
        std::fs::write(program.join("versionrc"), "[Version]\nbuildid=abc123\n").unwrap();
        let installation = Installation::read(program).unwrap();
        assert_eq!((installation.version.as_str(), installation.emoji()), ("24.8", Emoji::Coloured));
        assert_eq!(Installation { version: "7.4".to_owned(), ..installation.clone() }.emoji(), Emoji::Plain);
        let profile = program.join("profile");
        installation.write_profile(&profile).unwrap();
        assert_eq!(std::fs::read_to_string(profile.join("user/extensions/buildid")).unwrap(), "abc123");
        let registry = std::fs::read_to_string(profile.join("user/registrymodifications.xcu")).unwrap();
        assert!(
            registry.contains("ooSetupLastVersion\" oor:op=\"fuse\" oor:finalized=\"true\"><value>24.8</value>"),
            "{registry}"
        );
        assert!(
            registry.contains("DisableMacrosExecution\" oor:op=\"fuse\" oor:finalized=\"true\"><value>true</value>"),
            "{registry}"
        );
    }

    #[test]
    fn nothing_writes_the_profile_or_asks_the_desktop() {
        let directory = tempfile::TempDir::new().unwrap();
        let installation =
            Installation { program: directory.path().to_owned(), version: String::new(), build: String::new() };
        let layers = "CONFIGURATION_LAYERS=xcsxcu:${A}/registry dconf:* user:!${B}/user/registrymodifications.xcu\n";
        std::fs::write(directory.path().join("fundamentalrc"), layers).unwrap();
        let read_only = installation.read_only_layers().unwrap();
        assert_eq!(read_only, "xcsxcu:${A}/registry user:*${B}/user/registrymodifications.xcu");
    }

    #[test]
    fn a_directory_without_libreoffice_is_an_error() {
        assert!(Installation::read(Path::new("/nowhere")).is_err());
    }
}
