// Writes dist/third-party-licenses.txt: the licences of the libraries that the bundles contain, which the package must carry.
import { globSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { listLanguages } from '../web/text/languages.ts';
import { PROGRAMS, root, SEPARATE_LIBRARIES } from './bundler.ts';

/** Returns the folders in node_modules of the packages that the bundles contain, sorted. */
async function listBundledPackages(): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [
      join(root, 'src/main.ts'),
      ...PROGRAMS.map((program) => program.in),
      join(root, 'web/main.tsx'),
      join(root, 'web/text/markup-worker.ts'),
      ...listLanguages().map((name) => `highlight.js/lib/languages/${name}`),
    ],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outdir: 'licenses',
    external: ['pg-native', 'cloudflare:sockets', ...SEPARATE_LIBRARIES],
    absWorkingDir: root,
    logLevel: 'error',
  });
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  return [...new Set(packages)].sort();
}

/** Returns name, version and licence of a package. Throws if it states none. */
function describePackage(folder: string): string {
  const directory = join(root, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${name} states no licence`);
  const texts = globSync('{LICEN[SC]E,licen[sc]e,COPYING}*', { cwd: directory })
    .filter((file) => !/\.(?:js|ts|json)$/.test(file))
    .map((file) => readFileSync(join(directory, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts].join('\n\n');
}

const packages = await listBundledPackages();
await mkdir(join(root, 'dist'), { recursive: true });
await writeFile(
  join(root, 'dist/third-party-licenses.txt'),
  `${packages.map(describePackage).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`,
);
