import { findCodeRanges } from '../issuables/index.ts';
import { findParagraphs } from './paragraphs.ts';

// Finds the quick actions of a text (contract/planning.md §3.17). Runs in linear time.

/** A command such as `/label ~bug`: its canonical name and the rest of the line. */
export interface ParsedCommand<Name extends string = string> {
  readonly name: Name;
  readonly argument: string;
}

/** A text split into its quick actions and the rest. */
export interface ParsedText<Name extends string = string> {
  readonly commands: readonly ParsedCommand<Name>[];
  /** The text without the commands and with substitutions, trimmed at the end if there were any. */
  readonly remainingText: string;
}

/** Maximum number of executed commands per text. Further commands are removed from the text without effect. */
const MAX_COMMANDS = 100;

/** Names that are replaced by a text where they stand. Non-ASCII characters are escaped, because the bundle must be ASCII. */
const SUBSTITUTIONS: Readonly<Record<string, string>> = {
  shrug: '\u00af\\\uff3f(\u30c4)\uff3f/\u00af',
  tableflip: '(\u256f\u00b0\u25a1\u00b0)\u256f\ufe35 \u253b\u2501\u253b',
};

/** The name of a command at the beginning of a line. */
const NAME = /^\/([A-Za-z_]{1,40})(?: |$)/;

/** Parses the commands of a text. `knownNames` maps lower-case names and aliases to canonical names; other names are text. */
export function parseCommands<Name extends string>(
  text: string,
  knownNames: ReadonlyMap<string, Name>,
): ParsedText<Name> {
  const commands: ParsedCommand<Name>[] = [];
  const textParts: string[] = [];
  let remainingStart = 0;
  if (text.startsWith('/') || text.includes('\n/')) {
    for (const lines of findParagraphs(text)) {
      const paragraphStart = lines[0]!.start;
      const code = findCodeRanges(text.slice(paragraphStart, lines.at(-1)!.end));
      for (const line of lines) {
        if (text[line.start] !== '/' || code.has(line.start - paragraphStart)) continue;
        const lineText = text.slice(line.start, line.end);
        const substitution = findSubstitution(lineText);
        if (substitution !== null) {
          textParts.push(text.slice(remainingStart, line.start), substitution.text);
          remainingStart = line.start + substitution.length;
          continue;
        }
        const command = parseCommand(lineText, knownNames);
        if (command === null) continue;
        if (commands.length < MAX_COMMANDS) commands.push(command);
        textParts.push(text.slice(remainingStart, line.start));
        remainingStart = Math.min(line.end + 1, text.length);
      }
    }
  }
  if (remainingStart === 0) return { commands, remainingText: text };
  return { commands, remainingText: [...textParts, text.slice(remainingStart)].join('').trimEnd() };
}

/** Returns the text that replaces the first `length` characters of the line, or null. */
function findSubstitution(line: string): { readonly text: string; readonly length: number } | null {
  const name = NAME.exec(line.trimEnd())?.[1];
  const text = name === undefined ? undefined : SUBSTITUTIONS[name.toLowerCase()];
  return text === undefined ? null : { text, length: name!.length + 1 };
}

function parseCommand<Name extends string>(
  line: string,
  knownNames: ReadonlyMap<string, Name>,
): ParsedCommand<Name> | null {
  const lineText = line.trimEnd();
  const [matchedText, nameText] = NAME.exec(lineText) ?? [];
  const name = knownNames.get(nameText?.toLowerCase() ?? '');
  return name === undefined ? null : { name, argument: lineText.slice(matchedText!.length).trim() };
}
