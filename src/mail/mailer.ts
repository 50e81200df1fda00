import type { Config } from '#config.ts';
import { toStorableText } from '#database/dialect.ts';
import { redactText } from '#security/redaction.ts';

/** A mail to send. User texts in headers have been converted by `toHeaderLine`. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly messageId: string;
  /** The Message-Id of the mail that this one replies to. */
  readonly inReplyTo: string | null;
  readonly date: Date;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The result of sending. `final` means that a retry is useless: the mail was rejected permanently. */
type MailResult = { readonly sent: true } | { readonly sent: false; readonly final: boolean; readonly error: string };

/** Sends mails through the configured SMTP server. */
export interface Mailer {
  /** Sends a mail. Never throws, and never takes longer than the timeouts. */
  send(mail: Mail): Promise<MailResult>;
  close(): void;
}

/** Maximum number of SMTP connections. */
export const MAX_CONNECTIONS = 10;

interface MailTimeouts {
  /** Milliseconds to connect, and to receive the greeting. */
  readonly connectMs: number;
  /** Milliseconds without a response. */
  readonly idleMs: number;
  /** Milliseconds for a mail in total. */
  readonly totalMs: number;
}

const DEFAULT_TIMEOUTS: MailTimeouts = { connectMs: 30_000, idleMs: 60_000, totalMs: 120_000 };

/**
 * Creates the mailer. The SMTP library is loaded with the first mail, because it takes 20 MB. The outbound address rules do not
 * apply: the operator chose the server.
 */
export function createMailer(
  { smtpUrl, from, displayName, replyTo }: Config['mail'],
  timeouts = DEFAULT_TIMEOUTS,
): Mailer {
  let transport: Promise<Transport> | null = null;
  const openTransport = async (): Promise<Transport> => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url: smtpUrl ?? '',
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      // The caller, which stores the mail, retries later.
      maxRequeues: 0,
      idleTimeout: timeouts.connectMs,
      connectionTimeout: timeouts.connectMs,
      greetingTimeout: timeouts.connectMs,
      dnsTimeout: timeouts.connectMs,
      socketTimeout: timeouts.idleMs,
      socketCloseTimeout: 0,
    });
  };
  /** Rethrows the error. The next mail loads the library again. */
  const resetTransport = (error: unknown): never => {
    transport = null;
    throw error;
  };
  const close = () => {
    const previousTransport = transport;
    transport = null;
    previousTransport?.then((resolvedTransport) => resolvedTransport.close({ force: true })).catch(() => {});
  };
  return {
    async send(mail) {
      transport ??= openTransport().catch(resetTransport);
      const timeoutController = new AbortController();
      const { promise: timedOut, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => reject(new Error('The mail server took too long')), timeouts.totalMs);
      // Also closes the connection of this mail, so that timed-out connections do not accumulate.
      timedOut.catch(() => timeoutController.abort());
      try {
        const message = toMessage(mail, { from, displayName, replyTo });
        const sending = (await transport).sendMail({ ...message, signal: timeoutController.signal });
        await Promise.race([sending, timedOut]);
        return { sent: true };
      } catch (error) {
        return { sent: false, final: isPermanent(error), error: describeSmtpError(error, smtpUrl) };
      } finally {
        clearTimeout(timer);
      }
    },
    close,
  };
}

type Transport = { sendMail(message: object): Promise<unknown>; close(options: { force: boolean }): void };

/** Headers that the library adds, in the case that the contract shows. */
const STANDARD_HEADER_NAMES = ['Message-ID', 'MIME-Version'];

function toMessage(
  { to, subject, messageId, inReplyTo, date, text, html, headers }: Mail,
  { from, displayName, replyTo }: Pick<Config['mail'], 'from' | 'displayName' | 'replyTo'>,
) {
  // The library passes header names in its own case.
  const namesByLowerCase = new Map(
    [...STANDARD_HEADER_NAMES, ...Object.keys(headers)].map((name) => [name.toLowerCase(), name]),
  );
  return {
    from: { name: displayName ?? '', address: from ?? '' },
    // An object, so that the address is not parsed as a list of addresses.
    to: { name: '', address: to },
    ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
    subject,
    messageId,
    ...(inReplyTo === null ? {} : { inReplyTo, references: inReplyTo }),
    date,
    text,
    html,
    headers,
    normalizeHeaderKey: (name: string) => namesByLowerCase.get(name.toLowerCase()) ?? name,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Returns whether the error is permanent: 5xx for the recipient or the content. Other errors may be temporary. */
function isPermanent(error: unknown): boolean {
  const { responseCode, command } = error as { responseCode?: unknown; command?: unknown };
  return Number(responseCode) >= 500 && (command === 'RCPT TO' || command === 'DATA');
}

/** Maximum characters of an SMTP error that are processed. */
const MAX_ERROR_LENGTH = 4_096;

/** Returns an error text for storage. SMTP servers may echo credentials, in plain text or Base64, and invalid characters. */
function describeSmtpError(error: unknown, smtpUrl: string | null): string {
  const { username = '', password = '' } = smtpUrl === null ? {} : new URL(smtpUrl);
  const secrets = [username, password].flatMap(decodeUrlPart).filter((secret) => secret !== '');
  const rawText = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH);
  const withoutEncodedSecrets = rawText.replace(/[A-Za-z0-9+/=]+/g, (word) =>
    encodesSecret(word, secrets) ? REDACTED : word,
  );
  const text = secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), redactText(withoutEncodedSecrets));
  return toStorableText(text.replace(/\p{Cc}+/gu, ' ')).slice(0, 500);
}

const REDACTED = '[REDACTED]';

/** Returns whether the word is Base64 of a text that contains a secret. */
function encodesSecret(word: string, secrets: readonly string[]): boolean {
  const bytes = Buffer.from(word, 'base64');
  return secrets.some((secret) => bytes.includes(secret));
}

/** Returns a URL part decoded and raw, or only raw if it cannot be decoded. */
function decodeUrlPart(part: string): string[] {
  try {
    return [decodeURIComponent(part), part];
  } catch {
    return [part];
  }
}

/** Maximum characters of a header text; longer texts are truncated. */
const MAX_LENGTH = 255;

// Control characters, line and paragraph separators, and characters that change the text direction.
const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Converts a user's text to a header text: one line without invisible characters, truncated to a maximum length. */
export function toHeaderLine(text: string, maxLength = MAX_LENGTH): string {
  // Truncated first, because the text may be very long.
  const line = text
    .slice(0, 4 * maxLength)
    .toWellFormed()
    .replace(INVISIBLE_CHARACTERS, ' ')
    .split(' ')
    .filter((word) => word !== '')
    .join(' ');
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join('')}…`;
}

/** Returns the host of a URL of this server, for Message-Id and List-Id. */
export function getUrlHost(baseUrl: string): string {
  return new URL(baseUrl).hostname;
}

/** Returns a Message-Id such as `<issue_88@hearth.example>`. */
export function buildMessageId(name: string, host: string): string {
  return `<${name}@${host}>`;
}

/** Returns a List-Id without its brackets, at most 255 characters: `34.anvil.forge.hearth.example`. */
export function buildListId(id: number, fullPath: string, host: string): string {
  const path = fullPath
    .toLowerCase()
    .split('/')
    .reverse()
    .map((segment) => segment.replace(/[^a-z0-9]/g, '-'))
    .join('.');
  const maxPathLength = MAX_LENGTH - host.length - String(id).length - 2;
  const truncatedPath = path.slice(0, Math.max(0, maxPathLength)).replace(/\.$/, '');
  return [id, truncatedPath, host].filter((part) => part !== '').join('.');
}
