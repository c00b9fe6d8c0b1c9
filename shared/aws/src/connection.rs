//! Connections to AWS: one connector for all clients of an environment, and the certificate authorities that it trusts.

use std::time::Duration;

use aws_smithy_http_client::Connector;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::{
    HttpConnectorSettings, SharedHttpClient, SharedHttpConnector, http_client_fn,
};

/// The roots of Amazon Trust Services, which AWS's own endpoints chain up to: <https://www.amazontrust.com/repository/>.
const AMAZON_ROOTS: &str = include_str!("../trust/amazon-roots.pem");

/// The trusted certificate authorities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Authorities {
    /// Amazon's roots, which are compiled in: reading the system's would take 3.5 ms of each cold start.
    Amazon,
    /// The system's authorities, or those in the file that `SSL_CERT_FILE` names.
    System,
}

impl Authorities {
    /// Amazon's, unless the endpoint is not AWS's, the partition has its own authorities (China, sovereign and secret regions),
    /// or an operator has named a file.
    pub(crate) fn of(region: &str, endpoint: Option<&str>, named_file: Option<&str>) -> Self {
        let ordinary = region.split('-').count() == 3 && !region.starts_with("cn-");
        let others = endpoint.is_some_and(|endpoint| endpoint.starts_with("https:"));
        if ordinary && !others && named_file.is_none() { Self::Amazon } else { Self::System }
    }

    fn trust_store(self) -> TrustStore {
        match self {
            Self::Amazon => TrustStore::empty().with_pem_certificate(AMAZON_ROOTS),
            Self::System => TrustStore::default(),
        }
    }
}

/// The HTTP client of all AWS clients of an environment. By itself, the SDK would make two connectors for each client: one when
/// it is made, and one at its first call.
pub(crate) fn http_client(
    authorities: Authorities,
    connect_timeout: Duration,
) -> Result<SharedHttpClient, aws_smithy_http_client::HttpClientError> {
    let tls = TlsContext::builder().with_trust_store(authorities.trust_store()).build()?;
    let connector = Connector::builder()
        .connector_settings(HttpConnectorSettings::builder().connect_timeout(connect_timeout).build())
        .tls_provider(Provider::rustls(CryptoMode::AwsLc))
        .tls_context(tls)
        .build();
    let connector = SharedHttpConnector::new(connector);
    Ok(http_client_fn(move |_, _| connector.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_authorities_give_a_connector() {
        // The library panics on a certificate that it can't read.
        for authorities in [Authorities::Amazon, Authorities::System] {
            assert!(http_client(authorities, Duration::from_secs(1)).is_ok(), "{authorities:?}");
        }
        assert_eq!(AMAZON_ROOTS.matches("BEGIN CERTIFICATE").count(), 5);
    }

    #[test]
    fn amazons_roots_are_required_of_aws_alone() {
        for region in ["us-east-1", "eu-central-1", "ap-southeast-3", "il-central-1"] {
            assert_eq!(Authorities::of(region, None, None), Authorities::Amazon, "{region}");
        }
        for region in ["cn-north-1", "us-gov-west-1", "us-isob-east-1", "eusc-de-east-1"] {
            assert_eq!(Authorities::of(region, None, None), Authorities::System, "{region}");
        }
        assert_eq!(Authorities::of("us-east-1", Some("https://aws.example"), None), Authorities::System);
        assert_eq!(Authorities::of("us-east-1", None, Some("/etc/roots.pem")), Authorities::System);
    }
}
