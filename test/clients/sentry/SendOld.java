// Reports with the first Sentry SDK for Java, once named Raven, what each of these senders reports; DSN names the server.
import io.sentry.Sentry;
import io.sentry.SentryClient;
import io.sentry.SentryClientFactory;
import io.sentry.event.Event;
import io.sentry.event.EventBuilder;
import io.sentry.event.UserBuilder;
import io.sentry.event.interfaces.ExceptionInterface;
import java.util.List;

public class SendOld {
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
      Sentry.capture(error);
    }
  }

  static void reportJoined(RuntimeException error) {
    Sentry.capture(
        new EventBuilder()
            .withLevel(Event.Level.ERROR)
            .withFingerprint(List.of("joined"))
            .withMessage(error.toString())
            .withSentryInterface(new ExceptionInterface(error)));
  }

  public static void main(String[] args) {
    // Of the thread that reports, so that all is sent when the program ends.
    SentryClient client = SentryClientFactory.sentryClient(System.getenv("DSN") + "?async=false");
    client.setRelease("shop@1.2.3");
    client.setEnvironment("production");
    Sentry.setStoredClient(client);
    Sentry.getContext().setUser(new UserBuilder().setId("42").build());
    Sentry.getContext().addTag("shop", "Größe ☃");
    for (int time = 0; time < 2; time++) report(() -> divide(1, 0));
    Sentry.capture(new EventBuilder().withLevel(Event.Level.WARNING).withMessage("Größe ☃ 😀\nand more"));
    report(() -> deeper(80));
    reportJoined(new OneWay());
    reportJoined(new OtherWay());
  }
}
