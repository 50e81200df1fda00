import type { Protection } from '../../../access/protected-environments.ts';
import type { Act } from '../../../facts/act.ts';
import type { Parent } from '../../../http/access/parents.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { assignableAmong } from './assignable.ts';
import { type ElementKind, elementChanges, elementProblems, type GivenElement, KINDS, outOfRange } from './elements.ts';
import { recordProtection } from './history.ts';
import { nameProblems } from './name.ts';
import { changeElements, insertProtection, protectionNamed } from './store.ts';

/** What a call says of a protection. */
export interface Wish {
  readonly required_approval_count?: number | null | undefined;
  readonly deploy_access_levels: readonly GivenElement[];
  readonly approval_rules: readonly GivenElement[];
}

/** Protects an environment of a project, or a tier of a group. Nobody is an element who may not be named. */
export async function protect(
  act: Act,
  parent: Parent,
  name: string,
  wish: Wish,
): Promise<Protection | Refused<'exists' | 'invalid'>> {
  if ((await protectionNamed(act, parent, name)) !== null) return refused('exists', { name });
  const count = wish.required_approval_count ?? 0;
  const assignable = await assignableAmong(act, parent, [...wish.deploy_access_levels, ...wish.approval_rules]);
  const changes = (kind: ElementKind) => {
    const made = elementChanges([], wish[kind], assignable);
    if (isRefused(made)) throw new Error('An element that is to be made has an id');
    return made;
  };
  const texts = [
    ...nameProblems(parent.type, name),
    ...KINDS.flatMap((kind) => elementProblems(kind, [], changes(kind))),
    ...outOfRange('Required approval count', count, 0),
  ];
  if (texts.length > 0) return refused('invalid', { texts });
  const id = await insertProtection(act, parent, { name, required_approval_count: count });
  for (const kind of KINDS) await changeElements(act, id, kind, changes(kind));
  const made = (await protectionNamed(act, parent, name))!;
  await recordProtection(act, 'environment_protected', parent, made);
  return made;
}
