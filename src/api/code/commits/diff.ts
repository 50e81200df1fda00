import { type Static, Type } from 'typebox';
import type { FileDiff } from '../../../git/diff.ts';
import { shape } from '../../../http/endpoint/answers.ts';

/** What changed in one file (contract/repository.md §4). A mode is `0` where the file is not. */
export const Diff = shape('Diff', {
  diff: Type.String(),
  collapsed: Type.Boolean(),
  too_large: Type.Boolean(),
  new_path: Type.String(),
  old_path: Type.String(),
  a_mode: Type.String(),
  b_mode: Type.String(),
  new_file: Type.Boolean(),
  renamed_file: Type.Boolean(),
  deleted_file: Type.Boolean(),
  generated_file: Type.Null(),
});

/** `unidiff`: with the lines `---` and `+++` above the hunks. */
export function diffEntities(
  files: readonly FileDiff[],
  { unidiff }: { readonly unidiff: boolean },
): Static<typeof Diff>[] {
  return files.map((file) => ({
    diff: unidiff ? file.header + file.text : file.text,
    collapsed: file.collapsed,
    too_large: file.tooLarge,
    new_path: file.newPath.toWellFormed(),
    old_path: file.oldPath.toWellFormed(),
    a_mode: file.aMode,
    b_mode: file.bMode,
    new_file: file.newFile,
    renamed_file: file.renamedFile,
    deleted_file: file.deletedFile,
    generated_file: null,
  }));
}
