import { getDiff } from '#git/diff/diff.ts';
import { parseDiffLines } from '#git/diff/diff-lines.ts';
import type { Git } from '#git/git.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import type { CommitNoteable } from '#http/access/noteables.ts';
import { getRepository } from '#repositories/repository.ts';
import type { Position } from '../notes/index.ts';

interface LineInput {
  readonly path?: string | null | undefined;
  readonly line?: number | null | undefined;
  readonly line_type: 'new' | 'old';
}

/** Returns the position of this line in the commit's diff, as JSON, or null if the diff neither adds nor removes it. */
export async function findChangedLinePosition(
  git: Git,
  { project, commit }: CommitNoteable,
  { path, line, line_type }: LineInput,
): Promise<string | null> {
  if (!path || line == null) return null;
  const parentId = commit.parentIds[0] ?? null;
  const { files } = await getDiff(git, getRepository(git, project), parentId, commit.id);
  const file = files.find(({ oldPath, newPath }) => (line_type === 'new' ? newPath : oldPath) === path);
  const requestedLine = line_type === 'new' ? { oldLine: null, newLine: line } : { oldLine: line, newLine: null };
  for (const { oldLine, newLine } of parseDiffLines(file?.text ?? '')) {
    if (oldLine !== requestedLine.oldLine || newLine !== requestedLine.newLine) continue;
    const baseSha = parentId ?? ZERO_ID;
    const shas = { base_sha: baseSha, start_sha: baseSha, head_sha: commit.id };
    const paths = { old_path: file!.oldPath, new_path: file!.newPath, position_type: 'text' as const };
    const position: Position = { ...shas, ...paths, old_line: oldLine, new_line: newLine, line_range: null };
    return JSON.stringify(position);
  }
  return null;
}
