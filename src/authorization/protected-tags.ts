import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { DEVELOPER, MAINTAINER } from '#domain/members/roles.ts';
import { getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import { isAllowedByEntry, matchesRule, type RuleEntry } from './protected-branches/branch-rules.ts';

// Who may create and delete tags (contract/everyday.md §5). API writes and pushes use the same functions.

/** A protection rule with the entries that allow the creation of the tags that it matches. */
export interface TagRule {
  readonly id: number;
  /** A tag name, or a pattern in which `*` matches any characters. */
  readonly name: string;
  readonly create: readonly RuleEntry[];
  readonly updated_at: string;
}

// index: protected_tags_by_name, protected_tag_levels_by_rule
const loadRuleRows = prepare((db, value: Params<{ project: number }>) =>
  db
    .selectFrom('protected_tags')
    .leftJoin('protected_tag_access_levels as level', 'level.protected_tag_id', 'protected_tags.id')
    .select(['protected_tags.id', 'protected_tags.name', 'protected_tags.updated_at'])
    .select(['level.id as level_id', 'level.access_level', 'level.user_id'])
    .where('protected_tags.project_id', '=', value('project'))
    .orderBy('protected_tags.id')
    .orderBy('level.id'),
);

/** Returns all rules of a project in order of id; matching happens in memory. */
export async function listTagRules(db: Reader, projectId: number): Promise<TagRule[]> {
  const rules = new Map<number, TagRule & { create: RuleEntry[] }>();
  for (const { id, name, updated_at, ...level } of await loadRuleRows(db, { project: projectId })) {
    const rule = rules.get(id) ?? { id, name, updated_at, create: [] };
    rules.set(id, rule);
    if (level.level_id === null) continue;
    // The stored level is never null; only the left join makes its type nullable.
    const { level_id, access_level, user_id } = level;
    rule.create.push({ id: level_id, access_level: access_level ?? MAINTAINER, user_id, group_id: null });
  }
  return [...rules.values()];
}

/** Returns the rule with exactly this name or pattern, or null. */
export async function findTagRule(db: Reader, projectId: number, name: string): Promise<TagRule | null> {
  return (await listTagRules(db, projectId)).find((rule) => rule.name === name) ?? null;
}

/** Returns whether any rule matches the tag. */
export function isProtectedTag(rules: readonly TagRule[], tag: string): boolean {
  return rules.some((rule) => matchesRule(rule, tag));
}

/** Returns whether the caller may create this tag in a project that is not archived: any entry of any rule suffices. */
export function mayCreateTag(caller: Caller, project: Project, rules: readonly TagRule[], tag: string): boolean {
  if (caller.user === null || project.archived || getProjectRole(caller, project) < DEVELOPER) return false;
  const matchedRules = rules.filter((rule) => matchesRule(rule, tag));
  if (matchedRules.length === 0) return true;
  return matchedRules.some((rule) => rule.create.some((entry) => isAllowedByEntry(entry, caller, project)));
}

/** Returns whether the caller may delete a protected tag: Maintainers may. */
export function mayDeleteProtectedTag(caller: Caller, project: Project): boolean {
  return getProjectRole(caller, project) >= MAINTAINER;
}

/** Error messages for changes of protected tags by callers without the permission. */
export const TAG_CREATION_FORBIDDEN = 'You are not allowed to create this tag as it is protected.';
export const TAG_DELETION_FORBIDDEN =
  'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.';
