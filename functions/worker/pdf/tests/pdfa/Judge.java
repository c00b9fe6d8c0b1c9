import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.TreeSet;
import java.util.logging.LogManager;
import java.util.stream.Collectors;
import org.apache.pdfbox.preflight.parser.PreflightParser;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Says of each file whether it is PDF/A, or PDF/UA-1 for the level `ua` and PDF/UA-2 for `u2`. Arguments are LEVEL=FILE, or, without arguments, the lines of standard input; a line each: "pass", or the rules that are broken. */
class Judge {
    public static void main(String[] arguments) throws IOException {
        LogManager.getLogManager().reset();
        VeraGreenfieldFoundryProvider.initialise();
        for (String argument : arguments) {
            System.out.println(judge(argument));
        }
        if (arguments.length == 0) {
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                System.out.println(judge(line));
                System.out.flush();
            }
        }
    }

    private static String judge(String levelAndFile) {
        String level = levelAndFile.substring(0, 2);
        File file = new File(levelAndFile.substring(3));
        String verdict = veraPdf(level, file);
        if (verdict.isEmpty() && level.equals("1b")) {
            verdict = preflight(file);
        }
        return verdict.isEmpty() ? "pass" : verdict.replace('\n', ' ');
    }

    private static String veraPdf(String level, File file) {
        PDFAFlavour flavour = PDFAFlavour.byFlavourId(level.equals("ua") ? "ua1" : level.equals("u2") ? "ua2" : level);
        try (PDFAParser parser = Foundries.defaultInstance().createParser(file, flavour)) {
            ValidationResult result = Foundries.defaultInstance().createValidator(flavour, false).validate(parser);
            TreeSet<String> broken = new TreeSet<>();
            for (TestAssertion tested : result.getTestAssertions()) {
                if (tested.getStatus() == TestAssertion.Status.FAILED) {
                    broken.add(tested.getRuleId().getClause() + "-" + tested.getRuleId().getTestNumber() + " " + tested.getLocation().getContext());
                }
            }
            return result.isCompliant() ? "" : "veraPDF: " + String.join("; ", broken);
        } catch (Exception error) {
            return "veraPDF: " + error;
        }
    }

    private static String preflight(File file) {
        try {
            var result = PreflightParser.validate(file);
            return result.isValid() ? "" : "Preflight: " + result.getErrorsList().stream()
                .map(error -> error.getErrorCode() + " " + error.getDetails()).distinct().collect(Collectors.joining("; "));
        } catch (Exception error) {
            return "Preflight: " + error;
        }
    }
}
