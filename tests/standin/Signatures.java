import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.pades.validation.PDFDocumentValidator;
import eu.europa.esig.dss.service.crl.OnlineCRLSource;
import eu.europa.esig.dss.service.ocsp.OnlineOCSPSource;
import eu.europa.esig.dss.spi.DSSUtils;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.spi.x509.CommonTrustedCertificateSource;
import java.io.File;

/**
 * Says of each file what DSS says of its signatures. Arguments are the root certificate, and for each file WHO=FILE or WHO:PASSWORD=FILE;
 * WHO is `asking` if DSS may ask authorities about revocations, or `alone`. A line for each file: level and indication of each signature.
 */
class Signatures {
    public static void main(String[] arguments) {
        var roots = new CommonTrustedCertificateSource();
        roots.addCertificate(DSSUtils.loadCertificate(new File(arguments[0])));
        for (int number = 1; number < arguments.length; number++) {
            var parts = arguments[number].split("=", 2);
            var who = parts[0].split(":", 2);
            var verifier = new CommonCertificateVerifier();
            verifier.setTrustedCertSources(roots);
            verifier.setAIASource(null);
            if (who[0].equals("asking")) {
                verifier.setOcspSource(new OnlineOCSPSource());
                verifier.setCrlSource(new OnlineCRLSource());
            }
            var validator = new PDFDocumentValidator(new FileDocument(parts[1]));
            validator.setCertificateVerifier(verifier);
            if (who.length > 1) {
                validator.setPasswordProtection(who[1].toCharArray());
            }
            var report = validator.validateDocument().getSimpleReport();
            var said = new StringBuilder();
            for (String id : report.getSignatureIdList()) {
                said.append(report.getSignatureFormat(id)).append(' ').append(report.getIndication(id)).append(' ')
                    .append(report.getSubIndication(id) == null ? "" : report.getSubIndication(id) + " " + report.getAdESValidationErrors(id));
            }
            System.out.println(said.toString().strip().replace('\n', ' '));
        }
    }
}
