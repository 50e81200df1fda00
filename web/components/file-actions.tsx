import { toPath } from '../addresses.ts';
import type { PageLocation } from '../page.ts';
import { can, type ProjectAbilities } from './project-navigation.tsx';

/** The links to the forms that change files, for callers who may. */

interface ActionsProps {
  readonly project: string;
  /** A ref and a path. */
  readonly refPath: string;
  readonly abilities: ProjectAbilities;
  readonly location: PageLocation;
}

/** The link to the form that edits, replaces or deletes a file. */
export function EditFileLink({ project, refPath, abilities, location: { toUrl } }: ActionsProps) {
  if (!can(abilities, 'push_code')) return null;
  return <a href={toUrl(toPath('editFile', { project, ref_file: refPath }))}>Edit</a>;
}

/** The link to the form for a new file in a directory. */
export function NewFileLink({ project, refPath, abilities, location: { toUrl } }: ActionsProps) {
  if (!can(abilities, 'push_code')) return null;
  return <a href={toUrl(toPath('newFile', { project, ref_path: refPath }))}>New file</a>;
}
