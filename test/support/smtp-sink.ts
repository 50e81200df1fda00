import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

// An SMTP server that keeps what it is given, as far as tests of mails need one.

export interface Received {
  readonly from: string;
  readonly to: string;
  /** The mail as it came, lines that begin with a dot as they were before. */
  readonly raw: string;
}

export interface Sink {
  readonly port: number;
  readonly mails: Received[];
  /** What it answers to a recipient, or to a mail; as long as there is nothing, 250. `silent`: it says nothing at all. */
  readonly behaviour: { recipient?: (address: string) => string; mail?: string; silent?: boolean };
  /** How many connections were open at once, at most. */
  readonly most: () => number;
  /** Nobody is there any more. */
  down(): Promise<void>;
  /** At the same port again. */
  up(): Promise<void>;
}

export async function startSink(): Promise<Sink> {
  const mails: Received[] = [];
  const behaviour: Sink['behaviour'] = {};
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
    most: () => most,
    up,
    async down() {
      const closed = once(server.close(), 'close');
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function converse(socket: Socket, mails: Received[], behaviour: Sink['behaviour']): void {
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

/** A header of a mail, unfolded; undefined: it has none. */
export function headerOf({ raw }: Received, name: string): string | undefined {
  const [head = ''] = raw.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]/g, ' ').split('\r\n');
  const found = lines.filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return found.map((line) => line.slice(name.length + 1).trim()).join(' / ') || undefined;
}

/** What its parts say, decoded. */
export function partsOf({ raw }: Received): { readonly text: string; readonly html: string } {
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
