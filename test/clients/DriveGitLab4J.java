// Drives a Hearth server with gitlab4j as a user would: one line a step.
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.gitlab4j.api.GitLabApi;
import org.gitlab4j.api.GitLabApiException;
import org.gitlab4j.api.models.AccessLevel;
import org.gitlab4j.api.models.CommitAction;
import org.gitlab4j.api.models.Group;
import org.gitlab4j.api.models.GroupParams;
import org.gitlab4j.api.models.Issue;
import org.gitlab4j.api.models.IssueFilter;
import org.gitlab4j.api.models.MergeRequest;
import org.gitlab4j.api.models.MergeRequestFilter;
import org.gitlab4j.api.models.MergeRequestParams;
import org.gitlab4j.api.models.Project;
import org.gitlab4j.api.models.RepositoryFile;
import org.gitlab4j.api.models.User;
import org.gitlab4j.models.Constants.DeploymentStatus;

public class DriveGitLab4J {
  interface Work {
    void run() throws Exception;
  }

  static final GitLabApi api = new GitLabApi(System.getenv("HEARTH"), System.getenv("TOKEN"));
  static final String path = "root/forj";
  static boolean failed = false;
  static long member;
  static MergeRequest mergeRequest;
  static Issue issue;

  static void step(String name, Work work) {
    try {
      work.run();
      System.out.println("ok " + name);
    } catch (Throwable error) {
      failed = true;
      StackTraceElement[] frames = error.getStackTrace();
      String place = "";
      for (StackTraceElement frame : frames)
        if (frame.getClassName().equals("DriveGitLab4J")) {
          place = " in line " + frame.getLineNumber();
          break;
        }
      System.out.println("not ok " + name + ": " + error + place);
    }
  }

  static void equal(Object actual, Object expected) {
    if (!actual.equals(expected)) throw new AssertionError(actual + " is not " + expected);
  }

  static void fails(int status, Work work) throws Exception {
    try {
      work.run();
    } catch (GitLabApiException error) {
      equal(error.getHttpStatus(), status);
      return;
    }
    throw new AssertionError("the call did not fail");
  }

  static CommitAction action(String file, String content) {
    return new CommitAction().withAction(CommitAction.Action.CREATE).withFilePath(file).withContent(content);
  }

  public static void main(String[] args) {
    step("users", () -> {
      equal(api.getUserApi().getCurrentUser().getUsername(), "root");
      User user = new User().withUsername("mira").withName("Mira").withEmail("mira@hearth.test").withSkipConfirmation(true);
      member = api.getUserApi().createUser(user, "violet-anvil-harbour-42", false).getId();
      equal(api.getUserApi().getUser("mira").getId(), member);
      equal(api.getUserApi().findUsers("mira").size(), 1);
    });
    step("a project", () -> {
      Project project = new Project().withName("forj").withInitializeWithReadme(true);
      api.getProjectApi().createProject(project);
      equal(api.getProjectApi().getProject(path).getDefaultBranch(), "main");
      fails(404, () -> api.getProjectApi().getProject("root/none"));
      api.getProjectApi().updateProject(new Project().withId(api.getProjectApi().getProject(path).getId()).withDescription("Größe ☃"));
      equal(api.getProjectApi().getProject(path).getDescription(), "Größe ☃");
      api.getProjectApi().addMember(path, member, AccessLevel.DEVELOPER);
      equal(api.getProjectApi().getMember(path, member).getAccessLevel(), AccessLevel.DEVELOPER);
    });
    step("groups with subgroups", () -> {
      Group group = api.getGroupApi().createGroup(new GroupParams().withName("Works").withPath("works"));
      api.getGroupApi().createGroup(new GroupParams().withName("Sub").withPath("sub").withParentId(group.getId()));
      equal(api.getGroupApi().getSubGroups("works").get(0).getFullPath(), "works/sub");
      api.getGroupApi().addMember("works", member, AccessLevel.MAINTAINER);
      equal(api.getGroupApi().getMembers("works").size(), 2);
      Project inside = new Project().withName("inside").withNamespaceId(group.getId());
      api.getProjectApi().createProject(inside);
      equal(api.getGroupApi().getProjects("works").get(0).getPathWithNamespace(), "works/inside");
    });
    step("files, commits, branches and tags", () -> {
      RepositoryFile file = new RepositoryFile();
      file.setFilePath("dir/ü.txt");
      file.encodeAndSetContent("text\n");
      api.getRepositoryFileApi().createFile(path, file, "main", "Add");
      equal(api.getRepositoryFileApi().getFile(path, "dir/ü.txt", "main").getDecodedContentAsString(), "text\n");
      api.getCommitsApi().createCommit(path, "feature/one", "Many", "main", null, null, List.of(action("a.txt", "a"), action("b.txt", "b")));
      equal(api.getRepositoryApi().getBranch(path, "feature/one").getCommit().getTitle(), "Many");
      equal(api.getCommitsApi().getDiff(path, api.getCommitsApi().getCommit(path, "feature/one").getId()).size(), 2);
      api.getTagsApi().createTag(path, "v1", "main", "One", (String) null);
      equal(api.getTagsApi().getTags(path).get(0).getName(), "v1");
      equal(api.getRepositoryApi().getTree(path, "dir", "main").get(0).getName(), "ü.txt");
      equal(api.getRepositoryApi().compare(path, "main", "feature/one").getDiffs().size(), 2);
    });
    step("labels, milestones and issues", () -> {
      api.getLabelsApi().createLabel(path, "bug", "#ff0000", "A fault", 1);
      long milestone = api.getMilestonesApi().createMilestone(path, "One", "First", new Date(1798761600000L), new Date(1796083200000L)).getId();
      issue = api.getIssuesApi().createIssue(path, "Größe ☃", "Text", false, List.of(member), milestone, "bug,new", null, null, null, null);
      equal(issue.getLabels(), List.of("bug", "new"));
      api.getIssuesApi().createIssue(path, "Other", null);
      equal(api.getIssuesApi().getIssues(path, new IssueFilter().withLabels(List.of("bug"))).size(), 1);
      equal(api.getIssuesApi().getIssues(path, new IssueFilter().withSearch("oth")).size(), 1);
      api.getNotesApi().createIssueNote(path, issue.getIid(), "A note");
      equal(api.getNotesApi().getIssueNotes(path, issue.getIid()).get(0).getBody(), "A note");
      api.getIssuesApi().addSpentTime(path, issue.getIid(), "1h 30m");
      equal(api.getIssuesApi().getTimeTrackingStats(path, issue.getIid()).getTotalTimeSpent(), 5400);
      equal(api.getIssuesApi().closeIssue(path, issue.getIid()).getState().toString(), "closed");
    });
    step("a merge request is discussed, approved and merged", () -> {
      MergeRequestParams params = new MergeRequestParams().withSourceBranch("feature/one").withTargetBranch("main");
      params.withTitle("Merge it").withLabels(List.of("bug")).withReviewerIds(List.of(member)).withRemoveSourceBranch(true);
      mergeRequest = api.getMergeRequestApi().createMergeRequest(path, params);
      long iid = mergeRequest.getIid();
      equal(api.getMergeRequestApi().getCommits(path, iid).size(), 1);
      equal(api.getMergeRequestApi().getDiffs(path, iid).size(), 2);
      api.getDiscussionsApi().createMergeRequestDiscussion(path, iid, "Why?", null, null, null);
      equal(api.getDiscussionsApi().getMergeRequestDiscussions(path, iid).get(0).getNotes().get(0).getBody(), "Why?");
      // Authors cannot approve their own.
      api.sudo("mira");
      api.getMergeRequestApi().approveMergeRequest(path, iid, null);
      api.unsudo();
      equal(api.getMergeRequestApi().getApprovals(path, iid).getApprovedBy().size(), 1);
      MergeRequestFilter filter = new MergeRequestFilter().withSourceBranch("feature/one");
      equal(api.getMergeRequestApi().getMergeRequests(path, filter).size(), 1);
      equal(api.getMergeRequestApi().acceptMergeRequest(path, iid).getState(), "merged");
    });
    step("variables, pipelines and jobs", () -> {
      api.getProjectApi().createVariable(path, "PLACE", "sea", false, "production");
      equal(api.getProjectApi().getVariable(path, "PLACE").getValue(), "sea");
      RepositoryFile file = new RepositoryFile();
      file.setFilePath(".gitlab-ci.yml");
      file.setContent("build:\n  script: [echo built]\nlater:\n  when: manual\n  script: [echo later]\n");
      api.getRepositoryFileApi().createFile(path, file, "main", "Build");
      long pipeline = api.getPipelineApi().createPipeline(path, "main", Map.of("DEPLOY", "yes")).getId();
      equal(api.getPipelineApi().getPipelineVariables(path, pipeline).get(0).getKey(), "DEPLOY");
      equal(api.getJobApi().getJobsForPipeline(path, pipeline).size(), 2);
      api.getPipelineApi().cancelPipelineJobs(path, pipeline);
      equal(api.getPipelineApi().getPipeline(path, pipeline).getStatus().toString(), "canceled");
    });
    step("environments and deployments", () -> {
      long id = api.getEnvironmentsApi().createEnvironment(path, "production", "https://shop.test", null).getId();
      String sha = api.getCommitsApi().getCommit(path, "main").getId();
      api.getDeploymentsApi().addDeployment(path, "production", sha, "main", false, DeploymentStatus.SUCCESS);
      equal(api.getDeploymentsApi().getProjectDeployments(path).get(0).getStatus(), DeploymentStatus.SUCCESS);
      equal(api.getEnvironmentsApi().getEnvironment(path, id).getExternalUrl(), "https://shop.test");
      api.getEnvironmentsApi().stopEnvironment(path, id);
      equal(api.getEnvironmentsApi().getEnvironment(path, id).getState().toString(), "stopped");
    });
    step("snippets and wikis", () -> {
      long snippet = api.getSnippetApi().createSnippet("Title", "a.txt", "content").getId();
      equal(api.getSnippetApi().getSnippetContent(snippet), "content");
      api.getProjectApi().createSnippet(path, "Of a project", "b.txt", "Text", "more", org.gitlab4j.api.models.Visibility.PRIVATE);
      equal(api.getProjectApi().getSnippets(path).size(), 1);
      String slug = api.getWikisApi().createPage(path, "Home page", "Welcome").getSlug();
      equal(api.getWikisApi().getPage(path, slug).getContent(), "Welcome");
    });
    step("many pages", () -> {
      for (int number = 0; number < 25; number++) api.getLabelsApi().createLabel(path, "label-" + number, "#00ff00");
      equal(api.getLabelsApi().getProjectLabels(path, 10).all().size() >= 25, true);
    });
    System.exit(failed ? 1 : 0);
  }
}
