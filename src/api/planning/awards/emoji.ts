import { NAMES } from './emoji-names.ts';

/** From each name to the main one, which an alias stands for. Made when it is first asked for. */
let mainNames: ReadonlyMap<string, string> | undefined;

/** The main name of the emoji with this short name; null: there is none. */
export function emojiNamed(name: string): string | null {
  mainNames ??= new Map(
    NAMES()
      .trim()
      .split(/\s/)
      .flatMap((names) => {
        const [main, ...aliases] = names.split('=') as [string, ...string[]];
        return [main, ...aliases].map((one) => [one, main] as const);
      }),
  );
  return mainNames.get(name) ?? null;
}
