// Reports with the Sentry SDK for Go what each of these senders reports; DSN names the server.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/getsentry/sentry-go"
)

type TooLarge struct{}

func (TooLarge) Error() string { return "large" }

type OneWay struct{}

func (OneWay) Error() string { return "one" }

type OtherWay struct{}

func (OtherWay) Error() string { return "other" }

func deeper(remaining int) {
	if remaining == 0 {
		sentry.CaptureException(TooLarge{})
		return
	}
	deeper(remaining - 1)
}

func divide(number, divisor int) int {
	defer sentry.Recover()
	return number / divisor // 1 / 0
}

func main() {
	err := sentry.Init(sentry.ClientOptions{
		Dsn:              os.Getenv("DSN"),
		Release:          "shop@1.2.3",
		Environment:      "production",
		EnableTracing:    true,
		TracesSampleRate: 1,
	})
	if err != nil {
		log.Fatal(err)
	}
	sentry.ConfigureScope(func(scope *sentry.Scope) {
		scope.SetUser(sentry.User{ID: "42"})
		scope.SetTag("shop", "Größe ☃")
	})
	for range 2 {
		divide(1, 0)
	}
	sentry.WithScope(func(scope *sentry.Scope) {
		scope.SetLevel(sentry.LevelWarning)
		sentry.CaptureMessage("Größe ☃ 😀\nand more")
	})
	deeper(80)
	sentry.WithScope(func(scope *sentry.Scope) {
		scope.SetFingerprint([]string{"joined"})
		sentry.CaptureException(OneWay{})
	})
	sentry.WithScope(func(scope *sentry.Scope) {
		scope.SetFingerprint([]string{"joined"})
		scope.AddAttachment(&sentry.Attachment{Filename: "core.bin", Payload: make([]byte, 1024)})
		sentry.CaptureException(OtherWay{})
	})
	sentry.StartTransaction(context.Background(), "checkout").Finish()
	sentry.Flush(10 * time.Second)
}
