// Reports with the Sentry SDK for Java what each of these senders reports; DSN names the server.
import io.sentry.Attachment;
import io.sentry.Sentry;
import io.sentry.SentryLevel;
import io.sentry.protocol.User;
import java.util.List;

public class Send {
  static class TooLarge extends RuntimeException {
    TooLarge() {
      super("large");
    }
  }

  static class OneWay extends RuntimeException {}

  static class OtherWay extends RuntimeException {}

  static int deeper(int remaining) {
    if (remaining == 0) throw new TooLarge();
    return deeper(remaining - 1) + 1;
  }

  static int divide(int number, int divisor) {
    return number / divisor;
  }

  static void report(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException error) {
      Sentry.captureException(error);
    }
  }

  public static void main(String[] args) {
    Sentry.init(
        options -> {
          options.setDsn(System.getenv("DSN"));
          options.setRelease("shop@1.2.3");
          options.setEnvironment("production");
          options.setTracesSampleRate(1.0);
        });
    User user = new User();
    user.setId("42");
    Sentry.setUser(user);
    Sentry.setTag("shop", "Größe ☃");
    Sentry.startSession();
    for (int time = 0; time < 2; time++) report(() -> divide(1, 0));
    Sentry.captureMessage("Größe ☃ 😀\nand more", SentryLevel.WARNING);
    report(() -> deeper(80));
    Sentry.withScope(
        scope -> {
          scope.setFingerprint(List.of("joined"));
          Sentry.captureException(new OneWay());
        });
    Sentry.withScope(
        scope -> {
          scope.setFingerprint(List.of("joined"));
          scope.addAttachment(new Attachment(new byte[1024], "core.bin"));
          Sentry.captureException(new OtherWay());
        });
    Sentry.startTransaction("checkout", "task").finish();
    Sentry.endSession();
    Sentry.close();
  }
}
