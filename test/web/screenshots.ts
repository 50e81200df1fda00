// `npm run screenshots -- NAME...`: pictures of the pages with these names, or of all, light, dark and on a small screen, in
// screenshots/, with one sheet of all of them: index.html.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWeb } from '../../scripts/web.ts';
import { SCREENS } from './harness.ts';
import { withSetup } from './setup.ts';

const directory = join(import.meta.dirname, '../../screenshots');
const names = process.argv.slice(2);

await buildWeb();
await withSetup({}, async (setup, addresses) => {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const rows: string[] = [];
  for (const [screen, options] of Object.entries(SCREENS)) {
    const context = await setup.browser.newContext({ baseURL: setup.base, ...options, storageState: setup.session });
    const page = await context.newPage();
    for (const [name, path] of addresses.filter(([name]) => names.length === 0 || names.includes(name))) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: join(directory, `${name}-${screen}.png`), fullPage: true });
      rows.push(`<figure><img src="${name}-${screen}.png" alt=""><figcaption>${name}, ${screen}</figcaption></figure>`);
    }
    await context.close();
  }
  const style = 'body{display:flex;flex-wrap:wrap;gap:1rem;font:1rem sans-serif}img{width:24rem;border:1px solid #888}';
  const sheet = `<!doctype html>\n<title>Screenshots</title>\n<style>${style}</style>\n${rows.sort().join('\n')}\n`;
  writeFileSync(join(directory, 'index.html'), sheet);
  process.stdout.write(`${rows.length} pictures in ${directory}\n`);
});
