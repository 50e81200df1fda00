import type { PageName } from '#repositories/wikis/page-names.ts';

/** How the title of a page becomes the path of its file (contract/operations.md §2.2 "Pages"). */

export const FORMATS = { markdown: 'md', rdoc: 'rdoc', asciidoc: 'asciidoc', org: 'org' } as const;
export type Format = keyof typeof FORMATS;

/** The slug that a title asks for; that of a page which is there leaves it in its folder unless it says where. */
export function slugOf(title: string, present?: PageName): string {
  const slug = resolved(title);
  // A title that is none is not the name of the folder.
  if (slug === '' || title.includes('/') || present === undefined) return slug;
  return resolved(`${folderOf(present.slug)}${title}`);
}

function resolved(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/').map(squeezed)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/').replaceAll(' ', '-');
}

const squeezed = (part: string) => part.trim().replace(/\s+/g, ' ');

/** With its slash; nothing at the top. */
function folderOf(slug: string): string {
  return slug.slice(0, slug.lastIndexOf('/') + 1);
}

const RESERVED: ReadonlySet<string> = new Set(['pages', 'templates', 'new', 'git_access', '-']);
const LONGEST = { title: 245, directory: 255 };

/** What is wrong with a title that becomes this slug. */
export function titleErrors(slug: string): string[] {
  const directories = slug.split('/');
  const last = directories.pop() as string;
  if (last === '') return ["can't be blank"];
  const errors = Buffer.byteLength(last) > LONGEST.title ? [`exceeds the limit of ${LONGEST.title} bytes`] : [];
  for (const directory of directories) {
    if (Buffer.byteLength(directory) <= LONGEST.directory) continue;
    errors.push(`exceeds the limit of ${LONGEST.directory} bytes for directory name "${directory}"`);
  }
  if (RESERVED.has(slug.toLowerCase())) errors.push(`'${slug}' is a reserved name`);
  return errors;
}
