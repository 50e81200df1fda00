import type { PageLocation } from '../page.ts';
import { NewFileLink } from './file-actions.tsx';
import { can, type ProjectAbilities, type ProjectDetails } from './project-navigation.tsx';

/** Shown for a repository without files: for callers who may push, the commands that push the first ones. */
export function EmptyRepository({
  project,
  abilities,
  location,
}: {
  readonly project: ProjectDetails;
  readonly abilities: ProjectAbilities;
  readonly location: PageLocation;
}) {
  if (!can(abilities, 'push_code')) return <p class="quiet">There are no files that you can see.</p>;
  const { http_url_to_repo: url, path_with_namespace: path } = project;
  const branch = project.default_branch || 'main';
  const push = `git remote add origin ${url}
git branch -M ${branch}
git push -u origin ${branch}`;
  return (
    <div class="empty">
      <p class="empty-title">No files</p>
      <p class="quiet">
        The files of the default branch appear here. Git asks for your username and a password: use a personal access
        token with the scope <code>write_repository</code>.
      </p>
      <p>
        <NewFileLink project={path} refPath={branch} abilities={abilities} location={location} />
      </p>
      <h2>Push a folder</h2>
      <pre class="command">{`git init
git add .
git commit -m "Add the first files"
${push}`}</pre>
      <h2>Push a repository</h2>
      <pre class="command">{push}</pre>
    </div>
  );
}
