import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { isValidRefName, resolveRef } from '#git/refs/refs.ts';
import { getRepository } from '#repositories/repository.ts';

/** Schedules store the full name of their branch or tag. */

/** Returns the full name for a short or full name; null: no such ref, or both a branch and a tag. */
export async function findFullRefName(git: Git, project: Project, name: string): Promise<string | null> {
  const repository = getRepository(git, project);
  const isFull = name.startsWith(HEADS) || name.startsWith(TAGS);
  const matches: string[] = [];
  for (const ref of isFull ? [name] : [HEADS + name, TAGS + name]) {
    if (isValidRefName(ref) && (await resolveRef(repository, ref)) !== null) matches.push(ref);
  }
  return matches.length === 1 ? matches[0]! : null;
}

/** Returns the short name and kind of a ref, for permission checks. */
export function toBranchOrTag(fullName: string): { readonly ref: string; readonly tag: boolean } {
  const tag = fullName.startsWith(TAGS);
  return { ref: fullName.slice((tag ? TAGS : HEADS).length), tag };
}
