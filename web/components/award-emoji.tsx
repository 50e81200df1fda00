import type { AwardEmoji as AwardEmojiData } from '../api/operations.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { ActionButton } from './action-button.tsx';

/** The reactions that are always offered, and their characters. */
const EMOJI: Readonly<Record<string, string>> = {
  thumbsup: '👍',
  thumbsdown: '👎',
  tada: '🎉',
  heart: '❤️',
  eyes: '👀',
};

const ALWAYS_SHOWN = ['thumbsup', 'thumbsdown'];

/** Reactions to an issue, merge request or epic. Signed-in users can add and remove their own. */
export function AwardEmoji({
  awards,
  create,
  remove,
  location,
}: {
  readonly awards: readonly AwardEmojiData[];
  readonly create: (name: string) => Promise<unknown>;
  readonly remove: (awardId: number) => Promise<unknown>;
  readonly location: PageLocation;
}) {
  const { user } = usePageActions();
  const names = new Set([...ALWAYS_SHOWN, ...awards.map(({ name }) => name)]);
  return (
    <fieldset class="actions reactions">
      <legend class="hidden">Reactions</legend>
      {[...names].map((name) => {
        const sameAwards = awards.filter((award) => award.name === name);
        const ownAward = sameAwards.find((award) => award.user.id === user?.id);
        const content = (
          <>
            {EMOJI[name] === undefined ? `:${name}:` : <span aria-hidden="true">{EMOJI[name]}</span>}
            <span class="hidden">{name}</span> {sameAwards.length}
          </>
        );
        if (user === null) return sameAwards.length === 0 ? null : <span key={name}>{content}</span>;
        return (
          <ActionButton
            key={name}
            location={location}
            isPrimary={ownAward !== undefined}
            run={() => (ownAward === undefined ? create(name) : remove(ownAward.id))}
          >
            {content}
          </ActionButton>
        );
      })}
    </fieldset>
  );
}
