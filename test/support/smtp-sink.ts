import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

// A minimal SMTP server that stores the mails that it receives.

export interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  /** The mail as received, with dot-stuffing removed. */
  readonly raw: string;
}

export interface SmtpSink {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** Its replies to a recipient and to a mail, by default 250. `silent`: it never replies. */
  readonly behaviour: { recipient?: (address: string) => string; mail?: string; silent?: boolean };
  /** Returns the highest number of simultaneous connections so far. */
  readonly maxConnections: () => number;
  /** Stops the server; connections to its port are refused. */
  stop(): Promise<void>;
  /** Starts the server again at the same port. */
  start(): Promise<void>;
}

export async function startSmtpSink(): Promise<SmtpSink> {
  const mails: ReceivedMail[] = [];
  const behaviour: SmtpSink['behaviour'] = {};
  const open = new Set<Socket>();
  let most = 0;
  let server: Server;
  let port = 0;
  const up = async () => {
    server = createServer((socket) => {
      open.add(socket);
      most = Math.max(most, open.size);
      socket.on('close', () => open.delete(socket)).on('error', () => {});
      converse(socket, mails, behaviour);
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
  };
  await up();
  return {
    port,
    mails,
    behaviour,
    maxConnections: () => most,
    start: up,
    async stop() {
      const closed = once(server.close(), 'close');
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function converse(socket: Socket, mails: ReceivedMail[], behaviour: SmtpSink['behaviour']): void {
  const say = (line: string) => {
    if (!behaviour.silent) socket.write(`${line}\r\n`);
  };
  let [from, to, data] = ['', '', null as string[] | null];
  const hear = (line: string) => {
    if (data !== null) {
      if (line !== '.') return void data.push(line.replace(/^\./, ''));
      if (behaviour.mail === undefined) mails.push({ from, to, raw: data.join('\r\n') });
      data = null;
      return say(behaviour.mail ?? '250 Kept');
    }
    const [, verb = '', address = ''] = /^(\w+)[^<]*<?([^>]*)/.exec(line) ?? [];
    if (/^ehlo|helo$/i.test(verb)) say('250 sink');
    else if (/^mail$/i.test(verb)) [from] = [address, say('250 OK')];
    else if (/^rcpt$/i.test(verb)) [to] = [address, say(behaviour.recipient?.(address) ?? '250 OK')];
    else if (/^data$/i.test(verb)) [data] = [[], say('354 Go on')];
    else if (/^quit$/i.test(verb)) socket.end('221 Bye\r\n');
    else say('250 OK');
  };
  let rest = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });
  say('220 sink ESMTP');
}

/** Returns a header of a mail, unfolded, or undefined. */
export function getMailHeader({ raw }: ReceivedMail, name: string): string | undefined {
  const [head = ''] = raw.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]/g, ' ').split('\r\n');
  const found = lines.filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return found.map((line) => line.slice(name.length + 1).trim()).join(' / ') || undefined;
}

/** Returns the decoded text and HTML parts of a mail. */
export function getMailParts({ raw }: ReceivedMail): { readonly text: string; readonly html: string } {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1] ?? '';
  const parts = raw.split(`--${boundary}`);
  const part = (type: string) => {
    const found = parts.find((one) => one.includes(`Content-Type: ${type}`)) ?? '';
    const body = found.slice(found.indexOf('\r\n\r\n') + 4);
    if (/base64/.test(found)) return Buffer.from(body, 'base64').toString('utf8');
    if (!/quoted-printable/.test(found)) return body;
    const bytes = body
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
    return Buffer.from(bytes, 'latin1').toString('utf8');
  };
  return { text: part('text/plain'), html: part('text/html') };
}
