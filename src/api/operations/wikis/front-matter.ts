import { parseYamlMapping } from '#markdown/render-thread.ts';
import { type PageReader, runInReadQueue } from './read-queue.ts';

/** The YAML mapping at the head of a page (contract/operations.md §2.2), read with bounds: anybody may have written it. */

type Matter = Readonly<Record<string, unknown>>;

const MOST_CHARACTERS = 25_510;
const FENCE = '---';

/** A text in front of whose `rest` a mapping may stand; `yaml` is null without one. */
interface Parts {
  readonly yaml: string | null;
  readonly rest: string;
}

export function splitFrontMatter(text: string): Parts {
  const none = { yaml: null, rest: text };
  const first = text.indexOf('\n');
  if (first < 0 || text.slice(0, first).trimEnd() !== FENCE) return none;
  for (let at = first + 1; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end);
    if (line.startsWith(FENCE) && line.trimEnd() === FENCE) {
      return { yaml: text.slice(first + 1, at), rest: end < 0 ? '' : text.slice(end + 1) };
    }
    if (end < 0) return none;
    at = end + 1;
  }
  return none;
}

/** What is broken, too long or more than plain values is as good as nothing. */
export async function frontMatterOf(text: string, reader: PageReader): Promise<Matter> {
  const { yaml } = splitFrontMatter(text);
  if (yaml === null || yaml.length > MOST_CHARACTERS || !isPlain(yaml)) return {};
  return runInReadQueue(reader, yaml, (waiter) => parseYamlMapping(yaml, waiter));
}

/** Deeper in one line, and more of it, than anybody writes by hand: brackets inside brackets, items behind items. */
const DEEPEST = 50;
const MOST_BRACKETS = 1_000;

function isPlain(yaml: string): boolean {
  let [depth, brackets] = [0, 0];
  for (let at = 0; at < yaml.length; at++) {
    const character = yaml[at] as string;
    const isBracket = character === '[' || character === '{';
    if (isBracket) brackets += 1;
    if (isBracket || ('-?:'.includes(character) && yaml[at + 1] === ' ')) depth += 1;
    else if (character === '\n') depth = 0;
    if (depth > DEEPEST || brackets > MOST_BRACKETS) return false;
  }
  return true;
}

/** The text with this title at its head, in place of any other mapping; null: without any. */
export function withTitle(text: string, title: string | null): string {
  const { rest } = splitFrontMatter(text);
  // A text in JSON is one in YAML.
  return title === null ? rest : `${FENCE}\ntitle: ${JSON.stringify(title)}\n${FENCE}\n${rest}`;
}
