import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { resolveRef, validRefName } from '#git/refs/refs.ts';
import { repositoryOf } from '#repositories/repository.ts';

/** A schedule keeps its branch or tag by the full name. */

/** The full name of the one branch or tag that a name, short or full, means; null: there is none, or there are both. */
export async function fullNameOf(git: Git, project: Project, name: string): Promise<string | null> {
  const repository = repositoryOf(git, project);
  const isFull = name.startsWith(HEADS) || name.startsWith(TAGS);
  const meant: string[] = [];
  for (const ref of isFull ? [name] : [HEADS + name, TAGS + name]) {
    if (validRefName(ref) && (await resolveRef(repository, ref)) !== null) meant.push(ref);
  }
  return meant.length === 1 ? meant[0]! : null;
}

/** What decides who runs something on it. */
export function placeOf(fullName: string): { readonly ref: string; readonly tag: boolean } {
  const tag = fullName.startsWith(TAGS);
  return { ref: fullName.slice((tag ? TAGS : HEADS).length), tag };
}
