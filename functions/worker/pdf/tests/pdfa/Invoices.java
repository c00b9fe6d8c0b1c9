import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.mustangproject.validator.ZUGFeRDValidator;

/** Says of each PDF whether it is a valid Factur-X invoice, in a line: "valid", or what is wrong with it. */
class Invoices {
    public static void main(String[] files) {
        for (String file : files) {
            String report = new ZUGFeRDValidator().validate(file);
            int end = report.lastIndexOf("<summary status=\"");
            boolean isValid = end >= 0 && report.startsWith("<summary status=\"valid\"", end);
            System.out.println(isValid ? "valid" : errors(report));
        }
    }

    private static String errors(String report) {
        StringBuilder errors = new StringBuilder("invalid:");
        Matcher found = Pattern.compile("<(?:error|exception)[^>]*>([^<]*)<").matcher(report);
        while (found.find()) {
            errors.append(' ').append(found.group(1).replace('\n', ' '));
        }
        return errors.toString();
    }
}
