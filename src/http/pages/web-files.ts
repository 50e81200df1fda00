import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The built files of the web application (scripts/bundler.ts), which the server sends to browsers. */

const DIRECTORY = import.meta.url.endsWith('.ts')
  ? join(import.meta.dirname, '../../../dist/web')
  : join(import.meta.dirname, 'web');

interface WebFiles {
  /** The script that loads the others. Names have the hash of their content: `chunk-5H3KQ2ZD.js`. */
  readonly script: string;
  readonly style: string;
  /** Name -> content of the compressed variants of all files: some 400 kB, which an upgrade on disk does not change. */
  readonly contents: ReadonlyMap<string, Buffer>;
}

let cachedFiles: WebFiles | undefined;

/** Reads the files at the first call. */
export function loadWebFiles(): WebFiles {
  if (cachedFiles !== undefined) return cachedFiles;
  const names = readdirSync(DIRECTORY);
  cachedFiles = {
    script: names.find((name) => /^chunk-.+\.js$/.test(name))!,
    style: names.find((name) => /^app-.+\.css$/.test(name))!,
    contents: new Map(
      names
        .filter((name) => ENCODINGS.some(({ extension }) => name.endsWith(extension)))
        .map((name) => [name, readFileSync(join(DIRECTORY, name))]),
    ),
  };
  return cachedFiles;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ico': 'image/vnd.microsoft.icon',
};

/** The encodings of the compressed variants, the smaller one first. */
const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

export interface WebFile {
  readonly mediaType: string;
  /** The encoding of the content; null if it is not compressed. */
  readonly encoding: string | null;
  readonly content: Buffer;
}

/** Returns a file in an encoding that the client accepts; null if there is no such file. */
export function findWebFile(name: string, acceptEncoding: string): WebFile | null {
  const { contents } = loadWebFiles();
  const mediaType = MEDIA_TYPES[extname(name)];
  const gzip = contents.get(`${name}.gz`);
  if (gzip === undefined || mediaType === undefined) return null;
  for (const { name: encoding, extension } of ENCODINGS) {
    const content = isAccepted(encoding, acceptEncoding) ? contents.get(name + extension) : undefined;
    if (content !== undefined) return { mediaType, encoding, content };
  }
  // Browsers accept both encodings; the files of at most 150 kB need no copies for other clients.
  return { mediaType, encoding: null, content: gunzipSync(gzip) };
}

/** Returns whether the header `Accept-Encoding` names an encoding, and not with the weight 0 (RFC 9110 §12.5.3). */
function isAccepted(encoding: string, acceptEncoding: string): boolean {
  return acceptEncoding.split(',').some((part) => {
    const [name = '', weight = 'q=1'] = part.split(';').map((text) => text.trim().toLowerCase());
    return name === encoding && Number(weight.replace('q=', '')) !== 0;
  });
}
