import { codeIn } from '../issuables/index.ts';
import { paragraphsOf } from './paragraphs.ts';

/** The quick actions of a text (contract/planning.md §3.17). Pure; time grows with the text's length alone. */

/** `/label ~bug`: the name as the table has it, and the rest of the line. */
export interface Command<Name extends string = string> {
  readonly name: Name;
  readonly argument: string;
}

export interface Parsed<Name extends string = string> {
  readonly commands: readonly Command<Name>[];
  /** The text without them, trimmed at its end where there were some. */
  readonly rest: string;
}

/** So many of one text are done; all of them are taken out of it. */
const MOST = 100;

const NAME = /^\/([A-Za-z_]{1,40})(?: |$)/;

/** `known`: what a name or an alias, in small letters, stands for; other names are text and stay. */
export function parse<Name extends string>(text: string, known: ReadonlyMap<string, Name>): Parsed<Name> {
  const commands: Command<Name>[] = [];
  const kept: string[] = [];
  let from = 0;
  if (text.startsWith('/') || text.includes('\n/')) {
    for (const lines of paragraphsOf(text)) {
      const begin = lines[0]!.from;
      const code = codeIn(text.slice(begin, lines.at(-1)!.to));
      for (const line of lines) {
        if (text[line.from] !== '/' || code.has(line.from - begin)) continue;
        const command = commandIn(text.slice(line.from, line.to), known);
        if (command === null) continue;
        if (commands.length < MOST) commands.push(command);
        kept.push(text.slice(from, line.from));
        from = Math.min(line.to + 1, text.length);
      }
    }
  }
  if (from === 0) return { commands, rest: text };
  return { commands, rest: [...kept, text.slice(from)].join('').trimEnd() };
}

function commandIn<Name extends string>(line: string, known: ReadonlyMap<string, Name>): Command<Name> | null {
  const written = line.trimEnd();
  const [whole, given] = NAME.exec(written) ?? [];
  const name = known.get(given?.toLowerCase() ?? '');
  return name === undefined ? null : { name, argument: written.slice(whole!.length).trim() };
}
