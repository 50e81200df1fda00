import { blockedBy, blocking, relatedTo, relationRemoved } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { findIssues } from '#authorization/issues.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { fullReference } from '../issuables/index.ts';
import { type End, mayRelate } from './access.ts';
import type { IssueLinkEnds } from './entities.ts';
import { deleteLinkRow, type IssueLinkRow, insertLink, linksOf, MOST_LINKS, otherEnd } from './store.ts';

/** How an issue has to do with another, seen from it. */
export type LinkKind = 'relates_to' | 'blocks' | 'is_blocked_by';

type Unlinked = 'noLicense' | 'assigned' | 'forbidden' | 'itself' | 'tooMany';

/** In the turns of both issues: a pair has one link, whichever way round, and each issue so many. */
export async function linkIssues(
  uow: UnitOfWork<SignedInCaller>,
  [here, there]: readonly [End, End],
  kind: LinkKind,
): Promise<IssueLinkEnds | Failure<Unlinked>> {
  if (kind !== 'relates_to' && uow.tier === 'free') return fail('noLicense');
  const [own, others] = [await linksOf(uow, here.issue.id), await linksOf(uow, there.issue.id)];
  if (own.some((link) => otherEnd(link, here.issue.id) === there.issue.id)) return fail('assigned');
  if (!mayRelate(uow.actor, here) || !mayRelate(uow.actor, there)) return fail('forbidden');
  const { iid } = there.issue;
  if (here.issue.id === there.issue.id) return fail('itself', { iid });
  if (own.length >= MOST_LINKS || others.length >= MOST_LINKS) return fail('tooMany', { iid });
  const [source, target] = kind === 'is_blocked_by' ? [there, here] : [here, there];
  const type = kind === 'relates_to' ? kind : 'blocks';
  const link = await insertLink(uow, { source: source.issue.id, target: target.issue.id, type });
  if (link === undefined) return fail('assigned');
  await tell(uow, [here, there], TEXTS[kind]);
  return { link, here: await asItIsNow(uow, here), there: await asItIsNow(uow, there) };
}

/** How many it blocks has changed. */
async function asItIsNow(uow: UnitOfWork<SignedInCaller>, { issue, project }: End): Promise<End> {
  const [now] = await findIssues(uow, uow.actor, [issue.id]);
  return { issue: stillThere(now), project };
}

/** Ends a link of issues, and tells what was. */
export async function unlinkIssues(
  uow: UnitOfWork<SignedInCaller>,
  link: IssueLinkRow,
  [here, there]: readonly [End, End],
): Promise<IssueLinkEnds | Failure<'noLink' | 'gone'>> {
  if (!mayRelate(uow.actor, here) || !mayRelate(uow.actor, there)) return fail('noLink');
  if (!(await deleteLinkRow(uow, link.id))) return fail('gone');
  await tell(uow, [here, there], [relationRemoved, relationRemoved]);
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
async function tell(uow: UnitOfWork, [here, there]: readonly [End, End], texts: readonly [Text, Text]): Promise<void> {
  const near = here.project.id === there.project.id;
  const nameOf = ({ issue: { id, iid }, project }: End) =>
    near ? `#${iid}` : fullReference({ type: 'Issue', id, iid, project });
  const [one, other] = [here, there].map(({ issue: { id } }) => ({ type: 'Issue', id }) as const);
  await uow.record({ noteOn: one!, text: texts[0](nameOf(there), false), mentioning: other! });
  await uow.record({ noteOn: other!, text: texts[1](nameOf(here), true), mentioning: one! });
}
