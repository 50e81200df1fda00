import { getEmojiNames } from './emoji-names.ts';

/** Maps each name and alias to the canonical name. Built on first use. */
let canonicalNames: ReadonlyMap<string, string> | undefined;

/** Returns the canonical name of the emoji with this name or alias, or null if there is none. */
export function findEmojiName(name: string): string | null {
  canonicalNames ??= new Map(
    getEmojiNames()
      .trim()
      .split(/\s/)
      .flatMap((nameGroup) => {
        const [canonicalName, ...aliases] = nameGroup.split('=') as [string, ...string[]];
        return [canonicalName, ...aliases].map((nameOrAlias) => [nameOrAlias, canonicalName] as const);
      }),
  );
  return canonicalNames.get(name) ?? null;
}
