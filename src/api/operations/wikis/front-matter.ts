import { parseYamlMapping } from '#markdown/render-thread.ts';
import { type PageReader, runInReadQueue } from './read-queue.ts';

/** The YAML front matter of a page (contract/operations.md §2.2). Its size is limited, because it is untrusted. */

type FrontMatter = Readonly<Record<string, unknown>>;

/** Maximum length of the YAML text, in characters. */
const MAX_CHARACTERS = 25_510;
const FENCE = '---';

/** A page split into front matter and `body`; `yaml` is null if there is no front matter. */
interface SplitPage {
  readonly yaml: string | null;
  readonly body: string;
}

/** Splits a page. The front matter is at its beginning, between two lines `---`. */
export function splitFrontMatter(text: string): SplitPage {
  const noFrontMatter = { yaml: null, body: text };
  const firstLineEnd = text.indexOf('\n');
  if (firstLineEnd < 0 || text.slice(0, firstLineEnd).trimEnd() !== FENCE) return noFrontMatter;
  for (let lineStart = firstLineEnd + 1; lineStart < text.length; ) {
    const lineEnd = text.indexOf('\n', lineStart);
    const line = text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd);
    if (line.startsWith(FENCE) && line.trimEnd() === FENCE) {
      return { yaml: text.slice(firstLineEnd + 1, lineStart), body: lineEnd < 0 ? '' : text.slice(lineEnd + 1) };
    }
    if (lineEnd < 0) return noFrontMatter;
    lineStart = lineEnd + 1;
  }
  return noFrontMatter;
}

/** Parses the front matter. Returns an empty object if it is invalid, too long or too complex. */
export async function parseFrontMatter(text: string, reader: PageReader): Promise<FrontMatter> {
  const { yaml } = splitFrontMatter(text);
  if (yaml === null || yaml.length > MAX_CHARACTERS || !isWithinLimits(yaml)) return {};
  return runInReadQueue(reader, yaml, (waiter) => parseYamlMapping(yaml, waiter));
}

/** Limits of the nesting within a line, and of all brackets. No hand-written front matter reaches them. */
const MAX_DEPTH = 50;
const MAX_BRACKETS = 1_000;

/** Counts brackets, and the markers `- `, `? ` and `: `, each of which may open another level within its line. */
function isWithinLimits(yaml: string): boolean {
  let [depth, brackets] = [0, 0];
  for (let index = 0; index < yaml.length; index++) {
    const character = yaml[index] as string;
    const isBracket = character === '[' || character === '{';
    if (isBracket) brackets += 1;
    if (isBracket || ('-?:'.includes(character) && yaml[index + 1] === ' ')) depth += 1;
    else if (character === '\n') depth = 0;
    if (depth > MAX_DEPTH || brackets > MAX_BRACKETS) return false;
  }
  return true;
}

/** Returns the text with a front matter that has only this title; without a front matter if the title is null. */
export function setFrontMatterTitle(text: string, title: string | null): string {
  const { body } = splitFrontMatter(text);
  // A JSON string is a valid YAML string.
  return title === null ? body : `${FENCE}\ntitle: ${JSON.stringify(title)}\n${FENCE}\n${body}`;
}
