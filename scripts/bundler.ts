// Bundles the server's sources into self-contained modules.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BuildOptions, type BuildResult, build, type Plugin } from 'esbuild';
import { listLanguages } from '#web/text/languages.ts';

export const root = join(import.meta.dirname, '..');

/** Libraries that are not part of the bundle. The mail library is only loaded by servers that send mails. */
export const SEPARATE_LIBRARIES = ['nodemailer'];

/** Programs that a server runs in threads and processes; it expects them next to its own module. */
export const PROGRAMS = [
  { in: join(root, 'src/database/engines/sqlite/read-thread-program.ts'), out: 'read-thread-program' },
  { in: join(root, 'src/markdown/render-thread-program.ts'), out: 'render-thread-program' },
  { in: join(root, 'src/api/pipelines/ci-file/ci-file-program.ts'), out: 'ci-file-program' },
  { in: join(root, 'src/git/process/process-spawner-program.ts'), out: 'process-spawner-program' },
];

/** What a server loads when it first builds the OpenAPI document. */
const DOCUMENT_PARTS = [
  { in: join(root, 'src/http/documents/descriptions.ts'), out: 'descriptions' },
  { in: join(root, 'src/http/documents/examples.jsonl'), out: 'examples' },
];

// Bundled CommonJS libraries need these globals.
const banner = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

/**
 * Returns the commit of a checkout, with the suffix `-modified` after local changes; null outside of a checkout or without git.
 * An image is built without the history: its commit is the build argument `BUILD_COMMIT`.
 */
function findCommit(): string | null {
  if (process.env.BUILD_COMMIT) return process.env.BUILD_COMMIT;
  // The sources may lie inside of another project's checkout.
  if (!existsSync(join(root, '.git'))) return null;
  const runGit = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const commit = runGit('rev-parse', '--short=11', 'HEAD');
    return runGit('status', '--porcelain', '--', 'src', 'package.json') === '' ? commit : `${commit}-modified`;
  } catch {
    return null;
  }
}

// The bundler runs for a second, and garbage collection would take a quarter of its time.
process.env.GOGC ??= 'off';

/** Writes a file with this modification time. Of two concurrent builds each renames a complete file into place. */
export async function replaceFile(path: string, contents: Uint8Array, modifiedAt: Date): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents);
  await utimes(draft, modifiedAt, modifiedAt);
  await rename(draft, path).finally(() => rm(draft, { force: true }));
}

/** Returns whether a file is one that `replaceFile` is writing. */
export const isDraft = (name: string): boolean => /\.\d+$/.test(name);

/**
 * Bundles a program that starts servers, and the programs of those servers. Returns the files to write into `outdir`: the programs
 * last, because they import the other files.
 */
export async function bundleProgram(
  program: { in: string; out: string },
  outdir: string,
): Promise<BuildResult<{ write: false }>['outputFiles']> {
  const entryPoints = [program, ...PROGRAMS, ...DOCUMENT_PARTS];
  const { outputFiles } = await build({
    entryPoints,
    loader: { '.jsonl': 'copy' },
    outdir,
    write: false,
    bundle: true,
    // What several programs contain is stored once, and a command loads only its own part.
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Identifiers are not minified, so that stack traces are readable.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // Read only by `node --enable-source-maps`.
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: banner },
    define: { BUILD_COMMIT: JSON.stringify(findCommit()) },
    // The optional native driver of pg and its transport for another runtime are not installed.
    external: ['pg-native', 'cloudflare:sockets', ...SEPARATE_LIBRARIES],
    absWorkingDir: root,
    logLevel: 'warning',
  });
  const isProgram = ({ path }: { path: string }) => entryPoints.some(({ out }) => path === join(outdir, `${out}.js`));
  return outputFiles.toSorted((a, b) => Number(isProgram(a)) - Number(isProgram(b)));
}

/** Bundles files of the web application, whose names contain the hash of their content. Returns the files by name. */
async function bundleWebFiles(
  entryPoints: readonly { readonly in: string; readonly out: string }[],
  define: Readonly<Record<string, unknown>> = {},
  options: Pick<BuildOptions, 'splitting' | 'chunkNames' | 'plugins'> = {},
): Promise<Map<string, Uint8Array>> {
  const { outputFiles } = await build({
    ...options,
    write: false,
    entryPoints: [...entryPoints],
    entryNames: '[name]-[hash]',
    outdir: 'web',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    define: Object.fromEntries(Object.entries(define).map(([name, value]) => [name, JSON.stringify(value)])),
    absWorkingDir: root,
    logLevel: 'warning',
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
}

/** Returns the files by the names of their entry points, without the hash. */
const nameEntries = (files: ReadonlyMap<string, Uint8Array>): Record<string, string> =>
  Object.fromEntries([...files.keys()].map((name) => [name.replace(/-[^-]+$/, ''), name]));

/** The icon, also in the format that browsers request at `/favicon.ico`: two PNG images of it, of 16 and 32 pixels. */
const ICONS = ['icon.svg', 'favicon.ico'];

/**
 * Without this import, esbuild would divide the first script into what only it needs and what the second script shares, which
 * browsers would load one after the other.
 */
const importFirstScript: Plugin = {
  name: 'import-first-script',
  setup({ onLoad }) {
    onLoad({ filter: /web\/pages\/later\.ts$/ }, ({ path }) => ({
      contents: `import '../main.tsx';\n${readFileSync(path, 'utf8')}`,
      loader: 'ts',
    }));
  },
};

/** Bundles the first script, `chunk`, the one that it loads for other pages, `later`, and the style sheet, `app`. */
async function bundleScripts(markupWorker: string): Promise<Map<string, Uint8Array>> {
  const files = await bundleWebFiles(
    [{ in: join(root, 'web/main.tsx'), out: 'app' }],
    { MARKUP_WORKER: markupWorker },
    { splitting: true, chunkNames: '[name]-[hash]', plugins: [importFirstScript] },
  );
  // The entry point only imports the first script, and the second one has no styles of its own.
  return new Map([...files].filter(([name]) => !/^app-.+\.js$|^later-.+\.css$/.test(name)));
}

/**
 * Bundles the web application: two scripts and one style sheet, the worker that formats foreign text, and a file for each language
 * whose syntax it highlights. Returns name and content of each file, uncompressed.
 */
export async function bundleWeb(): Promise<Map<string, Uint8Array>> {
  const languages = await bundleWebFiles(
    listLanguages().map((name) => ({ in: `highlight.js/lib/languages/${name}`, out: `language-${name}` })),
  );
  const languageFiles = Object.entries(nameEntries(languages)).map(([name, file]) => [
    name.slice('language-'.length),
    file,
  ]);
  const worker = await bundleWebFiles([{ in: join(root, 'web/text/markup-worker.ts'), out: 'markup' }], {
    LANGUAGE_FILES: Object.fromEntries(languageFiles),
  });
  const app = await bundleScripts(nameEntries(worker).markup!);
  const icons = ICONS.map((name) => [name, readFileSync(join(root, 'web', name))] as const);
  return new Map<string, Uint8Array>([...languages, ...worker, ...app, ...icons]);
}
