// Reports with the Sentry SDK for Rust what each of these senders reports; DSN names the server.
use sentry::protocol::{Attachment, User};
use std::panic::catch_unwind;

macro_rules! error_type {
    ($name:ident, $text:literal) => {
        #[derive(Debug)]
        struct $name;
        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str($text)
            }
        }
        impl std::error::Error for $name {}
    };
}
error_type!(OneWay, "one");
error_type!(OtherWay, "other");

#[inline(never)]
fn deeper(remaining: u32) -> u32 {
    if remaining == 0 {
        panic!("TooLarge");
    }
    std::hint::black_box(deeper(remaining - 1)) + 1
}

#[inline(never)]
fn divide(number: u32, divisor: u32) -> u32 {
    number / divisor
}

fn main() {
    let options = sentry::ClientOptions::new()
        .release("shop@1.2.3")
        .environment("production")
        .traces_sample_rate(1.0)
        .auto_session_tracking(true);
    let client = sentry::init((std::env::var("DSN").unwrap(), options));
    sentry::configure_scope(|scope| {
        scope.set_user(Some(User { id: Some("42".into()), ..Default::default() }));
        scope.set_tag("shop", "Größe ☃");
    });
    for _ in 0..2 {
        let _ = catch_unwind(|| divide(1, std::hint::black_box(0)));
    }
    sentry::capture_message("Größe ☃ 😀\nand more", sentry::Level::Warning);
    let _ = catch_unwind(|| deeper(std::hint::black_box(80)));
    sentry::with_scope(|scope| scope.set_fingerprint(Some(&["joined"])), || sentry::capture_error(&OneWay));
    sentry::with_scope(
        |scope| {
            scope.set_fingerprint(Some(&["joined"]));
            scope.add_attachment(Attachment {
                buffer: vec![0; 1024],
                filename: "core.bin".into(),
                ..Default::default()
            });
        },
        || sentry::capture_error(&OtherWay),
    );
    sentry::start_transaction(sentry::TransactionContext::new("checkout", "task")).finish();
    sentry::end_session();
    client.close(Some(std::time::Duration::from_secs(10)));
}
