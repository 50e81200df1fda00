/** Where an alert of a project is found in a browser, below the server's address. */
export function alertPath(projectPath: string, iid: number): string {
  return `/${projectPath}/-/alert_management/${iid}/details`;
}
