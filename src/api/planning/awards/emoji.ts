import { getEmojiNames } from './emoji-names.ts';

/** Maps each name and alias to the canonical name. Built on first use. */
let canonicalNames: ReadonlyMap<string, string> | undefined;

/** Returns the canonical name of the emoji with this name or alias, or null if there is none. */
export function findEmojiName(name: string): string | null {
  canonicalNames ??= new Map(
    getEmojiNames()
      .trim()
      .split(/\s/)
      .flatMap(expandSkinTones)
      .flatMap((nameGroup) => {
        const [canonicalName, ...aliases] = nameGroup.split('=') as [string, ...string[]];
        return [canonicalName, ...aliases].map((nameOrAlias) => [nameOrAlias, canonicalName] as const);
      }),
  );
  return canonicalNames.get(name) ?? null;
}

const SKIN_TONES = ['light', 'medium_light', 'medium', 'medium_dark', 'dark'];

/** Returns a group for each skin tone, `wave_tone1=waving_hand_light_skin_tone` and so on, or the group itself without `*`. */
function expandSkinTones(nameGroup: string): string[] {
  if (!nameGroup.includes('*')) return [nameGroup];
  return SKIN_TONES.flatMap((tone, index) => {
    const group = nameGroup.replaceAll('tone*', `tone${index + 1}`).replaceAll('*', tone);
    if (!group.includes('+')) return [group];
    return SKIN_TONES.filter((otherTone) => otherTone !== tone).map((otherTone) => group.replaceAll('+', otherTone));
  });
}
