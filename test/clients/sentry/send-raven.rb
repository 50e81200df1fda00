# Reports with raven, the older SDK for Ruby, what each of these senders reports; DSN says to whom.
require 'raven'

Raven.configure do |config|
  config.dsn = ENV.fetch('DSN')
  config.release = 'shop@1.2.3'
  config.current_environment = 'production'
  config.silence_ready = true
  config.logger = Logger.new(File::NULL)
end

class TooLarge < StandardError; end
class OneWay < StandardError; end
class OtherWay < StandardError; end

def deeper(left)
  raise TooLarge, 'large' if left.zero?

  deeper(left - 1)
end

def divide(number)
  number / 0
end

def report(kind, text, **options)
  raise kind, text
rescue StandardError => e
  Raven.capture_exception(e, **options)
end

Raven.user_context(id: 42)
Raven.tags_context(shop: 'Größe ☃')
2.times do
  divide(1)
rescue ZeroDivisionError => e
  Raven.capture_exception(e)
end
Raven.capture_message("Größe ☃ 😀\nand more", level: 'warning')
begin
  deeper(80)
rescue TooLarge => e
  Raven.capture_exception(e)
end
report(OneWay, 'one', fingerprint: ['joined'])
report(OtherWay, 'other', fingerprint: ['joined'])
