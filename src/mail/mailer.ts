import type { Config } from '#config.ts';
import { storable } from '#database/storable-text.ts';
import { redactText } from '#security/redaction.ts';

/** A mail as it leaves. Texts of users have become lines by `oneLine` where they stand in headers. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly messageId: string;
  /** The Message-Id of what it answers. */
  readonly inReplyTo: string | null;
  readonly date: Date;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `final`: the recipient's server has said that it will never take this mail. */
export type Sent = { readonly sent: true } | { readonly sent: false; readonly final: boolean; readonly error: string };

/** The way to the SMTP server of the settings. */
export interface Mailer {
  /** Never throws; nothing takes longer than the patience. */
  send(mail: Mail): Promise<Sent>;
  close(): void;
}

/** So many connections at most. */
export const CONNECTIONS = 10;

interface Patience {
  /** To connect, and until the server greets, in milliseconds. */
  readonly connect: number;
  /** With a server that says nothing. */
  readonly silence: number;
  /** With a mail on all. */
  readonly whole: number;
}

const PATIENCE: Patience = { connect: 30_000, silence: 60_000, whole: 120_000 };

/**
 * Loads what speaks SMTP with the first mail: it takes 20 MB, which a server that sends none does without. The server is
 * the operator's own choice, wherever it is.
 */
export function createMailer({ smtpUrl, from, displayName, replyTo }: Config['mail'], patience = PATIENCE): Mailer {
  let transport: Promise<Transport> | null = null;
  const open = async (): Promise<Transport> => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url: smtpUrl ?? '',
      pool: true,
      maxConnections: CONNECTIONS,
      // What breaks off is tried again later, by whoever keeps the mail.
      maxRequeues: 0,
      idleTimeout: patience.connect,
      connectionTimeout: patience.connect,
      greetingTimeout: patience.connect,
      dnsTimeout: patience.connect,
      socketTimeout: patience.silence,
      socketCloseTimeout: 0,
    });
  };
  /** What could not be loaded once is tried again with the next mail. */
  const forget = (error: unknown): never => {
    transport = null;
    throw error;
  };
  const close = () => {
    const closing = transport;
    transport = null;
    closing?.then((it) => it.close({ force: true })).catch(() => {});
  };
  return {
    async send(mail) {
      transport ??= open().catch(forget);
      const late = new AbortController();
      const { promise: outOfTime, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => reject(new Error('The mail server took too long')), patience.whole);
      // With it goes its own connection, whatever it is at: what is given up does not stay open beside what comes after it.
      outOfTime.catch(() => late.abort());
      try {
        const message = messageOf(mail, { from, displayName, replyTo });
        const sending = (await transport).sendMail({ ...message, signal: late.signal });
        await Promise.race([sending, outOfTime]);
        return { sent: true };
      } catch (error) {
        return { sent: false, final: isFinal(error), error: textOf(error, smtpUrl) };
      } finally {
        clearTimeout(timer);
      }
    },
    close,
  };
}

type Transport = { sendMail(message: object): Promise<unknown>; close(how: { force: boolean }): void };

/** As the contract writes what is no header of the mail's own. */
const WRITTEN = ['Message-ID', 'MIME-Version'];

function messageOf(
  { to, subject, messageId, inReplyTo, date, text, html, headers }: Mail,
  { from, displayName, replyTo }: Pick<Config['mail'], 'from' | 'displayName' | 'replyTo'>,
) {
  // What is asked for the name of a header has put it into its own case before.
  const wanted = new Map([...WRITTEN, ...Object.keys(headers)].map((name) => [name.toLowerCase(), name]));
  return {
    from: { name: displayName ?? '', address: from ?? '' },
    // As an object: nothing in it is read as more than one address.
    to: { name: '', address: to },
    ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
    subject,
    messageId,
    ...(inReplyTo === null ? {} : { inReplyTo, references: inReplyTo }),
    date,
    text,
    html,
    headers,
    normalizeHeaderKey: (name: string) => wanted.get(name.toLowerCase()) ?? name,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** 5xx to the recipient, or to the mail itself; what the server says of us, or of its own state, may change. */
function isFinal(error: unknown): boolean {
  const { responseCode, command } = error as { responseCode?: unknown; command?: unknown };
  return Number(responseCode) >= 500 && (command === 'RCPT TO' || command === 'DATA');
}

/** Characters of what a server says that are looked at. */
const LOOKED_AT = 4_096;

/** What a server says may repeat what it was told, as it was said or in Base64, and hold what no database keeps. */
function textOf(error: unknown, smtpUrl: string | null): string {
  const { username = '', password = '' } = smtpUrl === null ? {} : new URL(smtpUrl);
  const secrets = [username, password].flatMap(readings).filter((secret) => secret !== '');
  const said = (error instanceof Error ? error.message : String(error)).slice(0, LOOKED_AT);
  const withoutCodes = said.replace(/[A-Za-z0-9+/=]+/g, (word) => (hides(word, secrets) ? REDACTED : word));
  const text = secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), redactText(withoutCodes));
  return storable(text.replace(/\p{Cc}+/gu, ' ')).slice(0, 500);
}

const REDACTED = '[REDACTED]';

/** Is it the Base64 of something in which a secret stands, wherever in it? */
function hides(word: string, secrets: readonly string[]): boolean {
  const bytes = Buffer.from(word, 'base64');
  return secrets.some((secret) => bytes.includes(secret));
}

/** A part of an address as it is written there, and as it is meant, if it means anything. */
function readings(part: string): string[] {
  try {
    return [decodeURIComponent(part), part];
  } catch {
    return [part];
  }
}
