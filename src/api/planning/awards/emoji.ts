import { emojiNames } from './emoji-names.ts';

/** Maps each name and alias to the canonical name. Built on first use. */
let canonicalNames: ReadonlyMap<string, string> | undefined;

/** Returns the canonical name of an emoji, or null if there is none. */
export function findEmojiName(name: string): string | null {
  canonicalNames ??= new Map(
    emojiNames()
      .trim()
      .split(/\s/)
      .flatMap((names) => {
        const [main, ...aliases] = names.split('=') as [string, ...string[]];
        return [main, ...aliases].map((one) => [one, main] as const);
      }),
  );
  return canonicalNames.get(name) ?? null;
}
