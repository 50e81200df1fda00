import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';

/** The built files of the web application (scripts/bundler.ts), which the server sends to browsers. */

const DIRECTORY = import.meta.url.endsWith('.ts')
  ? join(import.meta.dirname, '../../../dist/web')
  : join(import.meta.dirname, 'web');

/** Files are stored in Brotli only, which keeps the package small. */
const EXTENSION = '.br';

interface WebFiles {
  /** The script that loads the others. Names have the hash of their content: `chunk-5H3KQ2ZD.js`. */
  readonly script: string;
  readonly style: string;
  /** Name -> content in Brotli of all files: some 250 kB, which an upgrade on disk does not change. */
  readonly contents: ReadonlyMap<string, Buffer>;
}

let cachedFiles: WebFiles | undefined;

/** Reads the files at the first call. */
export function loadWebFiles(): WebFiles {
  if (cachedFiles !== undefined) return cachedFiles;
  const names = readdirSync(DIRECTORY)
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length));
  cachedFiles = {
    script: names.find((name) => /^chunk-.+\.js$/.test(name))!,
    style: names.find((name) => /^app-.+\.css$/.test(name))!,
    contents: new Map(names.map((name) => [name, readFileSync(join(DIRECTORY, name + EXTENSION))])),
  };
  return cachedFiles;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ico': 'image/vnd.microsoft.icon',
};

interface WebFile {
  readonly mediaType: string;
  /** The encoding of the content; null if it is not compressed. */
  readonly encoding: string | null;
  readonly content: Buffer;
}

const decompress = promisify(brotliDecompress);
const compress = promisify(gzip);

/** Name -> content in gzip of the files that a client without Brotli has loaded: browsers do not offer it over plain HTTP. */
const cachedGzip = new Map<string, Promise<Buffer>>();

/** Returns a file in an encoding that the client accepts; null if there is no such file. */
export async function findWebFile(name: string, acceptEncoding: string): Promise<WebFile | null> {
  const content = loadWebFiles().contents.get(name);
  const mediaType = MEDIA_TYPES[extname(name)];
  if (content === undefined || mediaType === undefined) return null;
  if (isAccepted('br', acceptEncoding)) return { mediaType, encoding: 'br', content };
  if (!isAccepted('gzip', acceptEncoding)) return { mediaType, encoding: null, content: await decompress(content) };
  const compressed = cachedGzip.get(name) ?? decompress(content).then((plain) => compress(plain, { level: 9 }));
  cachedGzip.set(name, compressed);
  return { mediaType, encoding: 'gzip', content: await compressed };
}

/** Returns whether the header `Accept-Encoding` names an encoding, and not with the weight 0 (RFC 9110 §12.5.3). */
function isAccepted(encoding: string, acceptEncoding: string): boolean {
  return acceptEncoding.split(',').some((part) => {
    const [name = '', weight = 'q=1'] = part.split(';').map((text) => text.trim().toLowerCase());
    return name === encoding && Number(weight.replace('q=', '')) !== 0;
  });
}
