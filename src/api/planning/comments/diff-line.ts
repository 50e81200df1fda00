import { diffBetween } from '#git/diff/diff.ts';
import { diffLines } from '#git/diff/diff-lines.ts';
import type { Git } from '#git/git.ts';
import { zeroId } from '#git/refs/refs.ts';
import type { ThingOfCommit } from '#http/access/noteables.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { Position } from '../notes/index.ts';

interface Said {
  readonly path?: string | null | undefined;
  readonly line?: number | null | undefined;
  readonly line_type: 'new' | 'old';
}

/** The place in a commit's own diff where this line was added or removed, in JSON; null: there is none. */
export async function changedLine(
  git: Git,
  { project, commit }: ThingOfCommit,
  { path, line, line_type }: Said,
): Promise<string | null> {
  if (!path || line == null) return null;
  const parent = commit.parentIds[0] ?? null;
  const { files } = await diffBetween(git, repositoryOf(git, project), parent, commit.id);
  const file = files.find(({ oldPath, newPath }) => (line_type === 'new' ? newPath : oldPath) === path);
  const wanted = line_type === 'new' ? { oldLine: null, newLine: line } : { oldLine: line, newLine: null };
  for (const { oldLine, newLine } of diffLines(file?.text ?? '')) {
    if (oldLine !== wanted.oldLine || newLine !== wanted.newLine) continue;
    const base = parent ?? zeroId;
    const shas = { base_sha: base, start_sha: base, head_sha: commit.id };
    const paths = { old_path: file!.oldPath, new_path: file!.newPath, position_type: 'text' as const };
    const position: Position = { ...shas, ...paths, old_line: oldLine, new_line: newLine, line_range: null };
    return JSON.stringify(position);
  }
  return null;
}
