// The pages of the web application: where each is declared, and the list web/pages.txt.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADDRESSES, type PageName } from '../web/addresses.ts';

const web = join(import.meta.dirname, '../web');

interface PageSource {
  readonly name: PageName;
  /** Below web/. */
  readonly file: string;
  readonly line: number;
  /** The operations that the page calls, `GET /projects`, in the order of the source. */
  readonly operations: readonly string[];
}

/** Returns the declaration of each page, in the order of addresses.ts. Throws for an address without a page. */
export function listPageSources(): PageSource[] {
  const texts = globSync('pages/**/*.tsx', { cwd: web }).map((file) => ({
    file,
    text: readFileSync(join(web, file), 'utf8'),
  }));
  return (Object.keys(ADDRESSES) as PageName[]).map((name) => {
    const declaration = ` = page('${name}'`;
    const source = texts.find(({ text }) => text.includes(declaration));
    if (source === undefined) throw new Error(`No file in web/pages declares the page ${name} of web/addresses.ts`);
    const { file, text } = source;
    return {
      name,
      file,
      line: text.slice(0, text.indexOf(declaration)).split('\n').length,
      operations: [...new Set(text.match(/(?<=')(?:GET|POST|PUT|PATCH|DELETE) \/[^']*(?=')/g) ?? [])],
    };
  });
}

/** Returns the text of web/pages.txt: page, address and calls, one page in a line. */
export function formatPages(): string {
  const lines = listPageSources().map(({ name, operations }) =>
    [name.padEnd(12), ADDRESSES[name].path.padEnd(40), operations.join(', ')].join(' ').trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
