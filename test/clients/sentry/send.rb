# Reports with the Sentry SDK for Ruby what each of these senders reports; DSN names the server.
require 'logger'
require 'sentry-ruby'

Sentry.init do |config|
  config.dsn = ENV.fetch('DSN')
  config.release = 'shop@1.2.3'
  config.environment = 'production'
  config.sdk_logger = Logger.new(File::NULL)
  config.traces_sample_rate = 1.0
  config.background_worker_threads = 0
end

class TooLarge < StandardError; end
class OneWay < StandardError; end
class OtherWay < StandardError; end

def deeper(remaining)
  raise TooLarge, 'large' if remaining.zero?

  deeper(remaining - 1)
end

def divide(number)
  number / 0
end

def report(kind, text, attachment: nil)
  raise kind, text
rescue StandardError => e
  Sentry.with_scope do |scope|
    scope.set_fingerprint(['joined'])
    scope.add_attachment(bytes: attachment, filename: 'core.bin') if attachment
    Sentry.capture_exception(e)
  end
end

Sentry.set_user(id: 42)
Sentry.set_tags(shop: 'Größe ☃')
Sentry.with_session_tracking do
  2.times do
    divide(1)
  rescue ZeroDivisionError => e
    Sentry.capture_exception(e)
  end
end
Sentry.capture_message("Größe ☃ 😀\nand more", level: 'warning')
begin
  deeper(80)
rescue TooLarge => e
  Sentry.capture_exception(e)
end
report(OneWay, 'one')
report(OtherWay, 'other', attachment: 'x' * 1024)
Sentry.start_transaction(name: 'checkout', op: 'task').finish
begin
  Sentry.close
rescue Sentry::ExternalError
  # The SDK raises what the server answers to a session.
end
