import type { PageName } from '#repositories/wikis/page-names.ts';

/** Converts page titles to file paths (contract/operations.md §2.2 "Pages"). */

/** File extensions by page format. */
export const EXTENSIONS_BY_FORMAT = { markdown: 'md', rdoc: 'rdoc', asciidoc: 'asciidoc', org: 'org' } as const;
export type Format = keyof typeof EXTENSIONS_BY_FORMAT;

/** Returns the slug for a title. An existing page stays in its folder, unless the title contains a slash. */
export function toPageSlug(title: string, existingPage?: PageName): string {
  const slug = normalizePath(title);
  // An empty title must not become the name of the folder.
  if (slug === '' || title.includes('/') || existingPage === undefined) return slug;
  return normalizePath(`${getFolder(existingPage.slug)}${title}`);
}

/** Resolves `.`, `..` and empty segments, and replaces spaces by `-`. */
function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/').map(collapseSpaces)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/').replaceAll(' ', '-');
}

const collapseSpaces = (part: string) => part.trim().replace(/\s+/g, ' ');

/** Returns the folder of a slug, with its trailing slash; empty at the top level. */
function getFolder(slug: string): string {
  return slug.slice(0, slug.lastIndexOf('/') + 1);
}

const RESERVED_SLUGS: ReadonlySet<string> = new Set(['pages', 'templates', 'new', 'git_access', '-']);
/** Maximum bytes of the last part of a slug, and of each directory. */
const MAX_BYTES = { title: 245, directory: 255 };

/** Returns the validation errors of a title with this slug. */
export function validatePageTitle(slug: string): string[] {
  const directories = slug.split('/');
  const lastPart = directories.pop() as string;
  if (lastPart === '') return ["can't be blank"];
  const errors = Buffer.byteLength(lastPart) > MAX_BYTES.title ? [`exceeds the limit of ${MAX_BYTES.title} bytes`] : [];
  for (const directory of directories) {
    if (Buffer.byteLength(directory) <= MAX_BYTES.directory) continue;
    errors.push(`exceeds the limit of ${MAX_BYTES.directory} bytes for directory name "${directory}"`);
  }
  if (RESERVED_SLUGS.has(slug.toLowerCase())) errors.push(`'${slug}' is a reserved name`);
  return errors;
}
