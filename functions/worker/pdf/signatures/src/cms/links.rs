//! Where a certificate says that more about it can be asked.

#![allow(clippy::wildcard_enum_match_arm, reason = "an extension or a name of any other kind is the same as none")]

use x509_parser::extensions::{DistributionPointName, GeneralName};
use x509_parser::prelude::{FromDer as _, ParsedExtension, X509Certificate};

const OCSP: &str = "1.3.6.1.5.5.7.48.1";
const ISSUERS: &str = "1.3.6.1.5.5.7.48.2";
const NEVER_REVOKED: &str = "1.3.6.1.5.5.7.48.1.5";

/// Addresses over HTTP, as the certificate has them.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// Of OCSP responders.
    pub(crate) responders: Vec<String>,
    /// Of the issuer's certificate.
    pub(crate) issuers: Vec<String>,
    /// Of CRLs.
    pub(crate) lists: Vec<String>,
    /// Whether its issuer says that nobody need ask about it.
    pub(crate) is_never_revoked: bool,
}

impl Links {
    /// What a certificate says. Nothing if it can't be read.
    pub(crate) fn of(der: &[u8]) -> Self {
        let mut links = Self::default();
        let Ok((_, read)) = X509Certificate::from_der(der) else { return links };
        for extension in read.extensions() {
            links.is_never_revoked |= extension.oid.to_id_string() == NEVER_REVOKED;
            match extension.parsed_extension() {
                ParsedExtension::AuthorityInfoAccess(access) => {
                    for described in access.iter() {
                        match described.access_method.to_id_string().as_str() {
                            OCSP => links.responders.extend(address(&described.access_location)),
                            ISSUERS => links.issuers.extend(address(&described.access_location)),
                            _ => {}
                        }
                    }
                }
                ParsedExtension::CRLDistributionPoints(points) => {
                    for point in points.iter().filter(|point| point.reasons.is_none() && point.crl_issuer.is_none()) {
                        if let Some(DistributionPointName::FullName(names)) = &point.distribution_point {
                            links.lists.extend(names.iter().filter_map(address));
                        }
                    }
                }
                _ => {}
            }
        }
        links
    }
}

fn address(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::URI(uri) if uri.starts_with("http://") || uri.starts_with("https://") => Some((*uri).to_owned()),
        _ => None,
    }
}
