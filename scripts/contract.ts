// `npm run contract -- FOLDER`: refreshes contract/ from the folder that holds the contracts (`contract/*.md`) and the list of
// routes (`endpoints.tsv`). A contract that is no longer there goes here too.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const target = join(import.meta.dirname, '../contract');
const [source] = process.argv.slice(2);
if (source === undefined) {
  console.error('Usage: npm run contract -- FOLDER');
  process.exit(1);
}

const texts = globSync(join(source, 'contract/*.md'));
if (texts.length === 0) {
  console.error(`${source} holds no contract/*.md`);
  process.exit(1);
}
for (const old of globSync(join(target, '*.md'))) rmSync(old);
// Written, not copied: a read-only original makes no read-only copy.
for (const file of [...texts, join(source, 'endpoints.tsv')])
  writeFileSync(join(target, basename(file)), readFileSync(file));
console.log(`contract/: ${texts.length} contracts and the list of routes`);
