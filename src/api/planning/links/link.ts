import { blockedBy, blocking, relatedTo, relationRemoved } from '#activity/index.ts';
import type { SignedIn } from '#authentication/caller.ts';
import { findIssues } from '#authorization/issues.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { Act } from '#events/unit-of-work.ts';
import { type Failure, refused } from '#runtime/failure.ts';
import { fullReference } from '../issuables/index.ts';
import { type End, mayRelate } from './access.ts';
import type { IssueLinkEnds } from './entities.ts';
import { deleteLinkRow, type IssueLinkRow, insertLink, linksOf, MOST_LINKS, otherEnd } from './store.ts';

/** How an issue has to do with another, seen from it. */
export type LinkKind = 'relates_to' | 'blocks' | 'is_blocked_by';

type Unlinked = 'noLicense' | 'assigned' | 'forbidden' | 'itself' | 'tooMany';

/** In the turns of both issues: a pair has one link, whichever way round, and each issue so many. */
export async function linkIssues(
  act: Act<SignedIn>,
  [here, there]: readonly [End, End],
  kind: LinkKind,
): Promise<IssueLinkEnds | Failure<Unlinked>> {
  if (kind !== 'relates_to' && act.tier === 'free') return refused('noLicense');
  const [own, others] = [await linksOf(act, here.issue.id), await linksOf(act, there.issue.id)];
  if (own.some((link) => otherEnd(link, here.issue.id) === there.issue.id)) return refused('assigned');
  if (!mayRelate(act.by, here) || !mayRelate(act.by, there)) return refused('forbidden');
  const { iid } = there.issue;
  if (here.issue.id === there.issue.id) return refused('itself', { iid });
  if (own.length >= MOST_LINKS || others.length >= MOST_LINKS) return refused('tooMany', { iid });
  const [source, target] = kind === 'is_blocked_by' ? [there, here] : [here, there];
  const type = kind === 'relates_to' ? kind : 'blocks';
  const link = await insertLink(act, { source: source.issue.id, target: target.issue.id, type });
  if (link === undefined) return refused('assigned');
  await tell(act, [here, there], TEXTS[kind]);
  return { link, here: await asItIsNow(act, here), there: await asItIsNow(act, there) };
}

/** How many it blocks has changed. */
async function asItIsNow(act: Act<SignedIn>, { issue, project }: End): Promise<End> {
  const [now] = await findIssues(act, act.by, [issue.id]);
  return { issue: stillThere(now), project };
}

/** Ends a link of issues, and tells what was. */
export async function unlinkIssues(
  act: Act<SignedIn>,
  link: IssueLinkRow,
  [here, there]: readonly [End, End],
): Promise<IssueLinkEnds | Failure<'noLink' | 'gone'>> {
  if (!mayRelate(act.by, here) || !mayRelate(act.by, there)) return refused('noLink');
  if (!(await deleteLinkRow(act, link.id))) return refused('gone');
  await tell(act, [here, there], [relationRemoved, relationRemoved]);
  return { link, here, there };
}

type Text = typeof relatedTo;

/** What is said here, and there. */
const TEXTS = {
  relates_to: [relatedTo, relatedTo],
  blocks: [blocking, blockedBy],
  is_blocked_by: [blockedBy, blocking],
} as const satisfies Record<LinkKind, readonly [Text, Text]>;

/** A note on each of them, for those who may read the other one, which is named shortly in the same project. */
async function tell(act: Act, [here, there]: readonly [End, End], texts: readonly [Text, Text]): Promise<void> {
  const near = here.project.id === there.project.id;
  const nameOf = ({ issue: { id, iid }, project }: End) =>
    near ? `#${iid}` : fullReference({ type: 'Issue', id, iid, project });
  const [one, other] = [here, there].map(({ issue: { id } }) => ({ type: 'Issue', id }) as const);
  await act.record({ noteOn: one!, text: texts[0](nameOf(there), false), mentioning: other! });
  await act.record({ noteOn: other!, text: texts[1](nameOf(here), true), mentioning: one! });
}
