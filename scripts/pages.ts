// The pages of the web application: where each is declared, the list web/pages.txt, and the modules that find them.
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
      operations: [...new Set([...listSharedQueries(text), text].flatMap(listOperations))],
    };
  });
}

/** Returns the sources of the components whose queries a page takes over, such as `projectQueries`. */
function listSharedQueries(page: string): string[] {
  const names = page.match(/(?<=\.\.\.)\w+Queries(?=\()/g) ?? [];
  return COMPONENTS.filter((text) => names.some((name) => text.includes(`export const ${name} =`)));
}

const COMPONENTS = globSync('components/*.{ts,tsx}', { cwd: web }).map((file) => readFileSync(join(web, file), 'utf8'));

/** Returns the operations that a source names, `GET /projects/:id`. */
export const listOperations = (text: string): string[] =>
  text.match(/(?<=')(?:GET|POST|PUT|PATCH|DELETE) \/[^']*(?=')/g) ?? [];

/** Returns the text of web/pages.txt: page, address and calls, one page in a line. */
export function formatPages(): string {
  const lines = listPageSources().map(({ name, operations }) =>
    [name.padEnd(12), ADDRESSES[name].path.padEnd(40), operations.join(', ')].join(' ').trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** The areas whose pages are part of the first script, because a visit begins with them. */
const FIRST_AREAS = ['code', 'namespaces'];

const isFirst = ({ file }: PageSource): boolean => FIRST_AREAS.includes(file.split('/')[1]!);

const toImportPath = (file: string): string => `./${file.replace(/^pages\//, '')}`;

/** Returns the text of web/pages/index.ts, which finds all pages. */
export function formatPageIndex(): string {
  const sources = listPageSources();
  const imports = sources
    .filter(isFirst)
    .map(({ name, file }) => `import { ${name} } from '${toImportPath(file)}';`)
    .sort(byPath);
  const rows = sources.map((source) => {
    const { name } = source;
    return `  ${name}: ${isFirst(source) ? `async () => ${name}` : `async () => (await import('./later.ts')).${name}`},\n`;
  });
  return `// Written by \`npm run api\`.
import type { PageName } from '../addresses.ts';
import type { Page } from '../page.ts';
${imports.join('\n')}

/** Returns each page by name. Some are in a second script, which the first of them loads. */
export const PAGES: Readonly<Record<PageName, () => Promise<Page>>> = {
${rows.join('')}};
`;
}

/** Returns the text of web/pages/later.ts, which exports the pages of the second script. */
export function formatLaterPages(): string {
  const exports = listPageSources()
    .filter((source) => !isFirst(source))
    .map(({ name, file }) => `export { ${name} } from '${toImportPath(file)}';`)
    .sort(byPath);
  return `// Written by \`npm run api\`.\n${exports.join('\n')}\n`;
}

/** Compares import statements by what they import, as the formatter does: `group.tsx` is before `group-members.tsx`. */
const byPath = (a: string, b: string): number => (getImportedPath(a) < getImportedPath(b) ? -1 : 1);

const getImportedPath = (statement: string): string => statement.slice(statement.indexOf("'"), -'.tsx;'.length - 1);
