//! The installed LibreOffice, and the user profile for each conversion.

use std::io;
use std::path::{Path, PathBuf};

use docmill_fonts::substitutes::Emoji;
use docmill_office_rewrite::Reader;

/// Debian's path of LibreOffice.
pub const DEFAULT_PROGRAM_DIRECTORY: &str = "/usr/lib/libreoffice/program";

/// An installed LibreOffice, as described by its own files.
#[derive(Clone, Debug)]
pub(super) struct Installation {
    pub(super) program: PathBuf,
    /// `7.4`: the product version. The profile must name it, or LibreOffice treats the profile as old.
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

    /// LibreOffice's installation directory, which contains the program directory.
    pub(super) fn directory(&self) -> PathBuf {
        let program = self.program.canonicalize().unwrap_or_else(|_| self.program.clone());
        program.parent().map_or(program.clone(), Path::to_owned)
    }

    fn numbers(&self) -> (u32, u32) {
        let mut numbers = self.version.split('.').map_while(|number| number.parse::<u32>().ok());
        (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
    }

    /// LibreOffice prints colored glyphs since 7.5.
    pub(super) fn emoji(&self) -> Emoji {
        if self.numbers() >= (7, 5) { Emoji::Colored } else { Emoji::Plain }
    }

    /// Versions between 7.4 and 25.2 were not looked at.
    pub(super) fn reader(&self) -> Reader {
        if self.numbers() >= (25, 2) { Reader::Current } else { Reader::Older }
    }

    /// Writes a new profile to `directory`.
    ///
    /// Without the version, LibreOffice renders self-tests for a second. Without the build id, it scans its extensions and
    /// restarts.
    pub(super) fn write_profile(&self, directory: &Path) -> io::Result<()> {
        let user = directory.join("user");
        std::fs::create_dir_all(user.join("extensions"))?;
        std::fs::write(user.join("extensions/buildid"), &self.build)?;
        std::fs::write(user.join("registrymodifications.xcu"), registry(&self.version))
    }

    /// LibreOffice's configuration layers as in `fundamentalrc`, without those that start threads: the desktop's settings, and
    /// writing to the profile.
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
/// Documents are untrusted: no macros, no external links where LibreOffice has a setting, no updates. There is no setting for
/// XForms, SVG references and pictures of embedded documents; the confinement limits what these can read. Nobody edits: no locks,
/// no recovery. With an empty system locale, the process's locale sets the paper, A4. All settings are final, because
/// LibreOfficeKit would set its own locale and paper. Decoded pictures are only cached up to some megabytes, because each is
/// drawn once. `DisableActiveContent` is not used: since LibreOffice 24, it also removes embedded objects, and so every chart.
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
        assert_eq!((installation.version.as_str(), installation.emoji()), ("24.8", Emoji::Colored));
        let of = |version: &str| Installation { version: version.to_owned(), ..installation.clone() };
        assert_eq!(of("7.4").emoji(), Emoji::Plain);
        assert_eq!((of("24.8").reader(), of("25.2").reader()), (Reader::Older, Reader::Current));
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
