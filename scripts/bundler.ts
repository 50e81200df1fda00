// How the server's sources become modules that need nothing beside them.
import { join } from 'node:path';
import { type BuildResult, build } from 'esbuild';

export const root = join(import.meta.dirname, '..');

/** What a server runs in threads and processes of its own: it looks for these beside its own module. */
const PROGRAMS = [
  { in: join(root, 'src/database/engines/sqlite/read-thread-program.ts'), out: 'read-thread-program' },
  { in: join(root, 'src/markdown/render-thread-program.ts'), out: 'render-thread-program' },
  { in: join(root, 'src/git/process/process-spawner-program.ts'), out: 'process-spawner-program' },
];

// Libraries in CommonJS that are bundled into a module still ask for these.
const banner = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

// The bundler runs for a second: collecting its garbage was a quarter of what it did.
process.env.GOGC ??= 'off';

/** A program that starts servers, in one module, and its servers' programs: what is to be written into `outdir`. */
export function bundled(program: { in: string; out: string }, outdir: string): Promise<BuildResult<{ write: false }>> {
  return build({
    entryPoints: [program, ...PROGRAMS],
    outdir,
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Names stay, for stack traces that can be read.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // Read only by `node --enable-source-maps`.
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: banner },
    // Optional native driver of pg, and its transport for another runtime: neither is installed nor used. What sends mails is
    // loaded by servers that send some.
    external: ['pg-native', 'cloudflare:sockets', 'nodemailer'],
    absWorkingDir: root,
    logLevel: 'warning',
  });
}
