/** The commands that push the first files of a repository without commits. */
export function EmptyRepository({ url, branch }: { readonly url: string; readonly branch: string }) {
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
