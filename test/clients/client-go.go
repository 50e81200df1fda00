// Drives a Hearth server with the Go client that glab and Terraform are made with, which reads every answer strictly: one line a step.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

var git *gitlab.Client
var failed bool

const at = "root/seen"

func step(name string, work func()) {
	defer func() {
		if reason := recover(); reason != nil {
			failed = true
			fmt.Printf("not ok %s: %s\n", name, strings.ReplaceAll(fmt.Sprint(reason), "\n", " / "))
		}
	}()
	work()
	fmt.Printf("ok %s\n", name)
}

func must[T any](value T, _ *gitlab.Response, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func done(_ *gitlab.Response, err error) {
	if err != nil {
		panic(err)
	}
}

func equal(found, wanted any) {
	if fmt.Sprint(found) != fmt.Sprint(wanted) {
		panic(fmt.Sprintf("%v is not %v", found, wanted))
	}
}

func some[T any](found []T) T {
	if len(found) == 0 {
		panic("nothing was found")
	}
	return found[0]
}

func to[T any](value T) *T { return &value }

func eventually(holds func() bool) {
	for turn := 0; turn < 40; turn++ {
		if holds() {
			return
		}
		time.Sleep(250 * time.Millisecond)
	}
	panic("it never came")
}

func main() {
	made, err := gitlab.NewClient(os.Getenv("TOKEN"), gitlab.WithBaseURL(os.Getenv("HEARTH")))
	if err != nil {
		panic(err)
	}
	git = made
	places()
	code()
	planning()
	requests()
	pipelines()
	environments()
	administration()
	if failed {
		os.Exit(1)
	}
}

var soon = gitlab.ISOTime(time.Now().AddDate(0, 1, 0))
var groupID, userID, projectID int64

func places() {
	step("users", func() {
		equal(must(git.Users.CurrentUser()).Username, "root")
		user := must(git.Users.CreateUser(&gitlab.CreateUserOptions{Email: to("mira@example.com"), Username: to("mira"), Name: to("Mira"), Password: to("a-long-word-1"), SkipConfirmation: to(true)}))
		userID = user.ID
		must(git.Users.GetUser(userID, &gitlab.GetUserOptions{}))
		equal(some(must(git.Users.ListUsers(&gitlab.ListUsersOptions{Username: to("mira")}))).ID, userID)
		must(git.Users.ModifyUser(userID, &gitlab.ModifyUserOptions{Bio: to("Here")}))
		must(git.Users.AddEmailForUser(userID, &gitlab.AddEmailOptions{Email: to("m@example.com"), SkipConfirmation: to(true)}))
		some(must(git.Users.ListEmailsForUser(userID, &gitlab.ListEmailsForUserOptions{})))
		done(git.Users.BlockUser(userID))
		done(git.Users.UnblockUser(userID))
		token := must(git.Users.CreatePersonalAccessToken(userID, &gitlab.CreatePersonalAccessTokenOptions{Name: to("t"), Scopes: to([]string{"api"})}))
		must(git.Users.CreateImpersonationToken(userID, &gitlab.CreateImpersonationTokenOptions{Name: to("i"), Scopes: to([]string{"api"}), ExpiresAt: to(time.Now().AddDate(0, 1, 0))}))
		some(must(git.Users.GetAllImpersonationTokens(userID, &gitlab.GetAllImpersonationTokensOptions{})))
		some(must(git.PersonalAccessTokens.ListPersonalAccessTokens(&gitlab.ListPersonalAccessTokensOptions{UserID: to(userID)})))
		must(git.PersonalAccessTokens.RotatePersonalAccessTokenByID(token.ID, &gitlab.RotatePersonalAccessTokenOptions{}))
		must(git.PersonalAccessTokens.GetSinglePersonalAccessToken())
	})
	step("groups", func() {
		group := must(git.Groups.CreateGroup(&gitlab.CreateGroupOptions{Name: to("Shared"), Path: to("shared")}))
		groupID = group.ID
		must(git.Groups.CreateGroup(&gitlab.CreateGroupOptions{Name: to("Low"), Path: to("low"), ParentID: to(groupID)}))
		must(git.Groups.GetGroup("shared/low", &gitlab.GetGroupOptions{}))
		must(git.Groups.UpdateGroup(groupID, &gitlab.UpdateGroupOptions{Description: to("All")}))
		some(must(git.Groups.ListGroups(&gitlab.ListGroupsOptions{Search: to("shared")})))
		some(must(git.Groups.ListSubGroups(groupID, &gitlab.ListSubGroupsOptions{})))
		some(must(git.Groups.ListDescendantGroups(groupID, &gitlab.ListDescendantGroupsOptions{})))
		must(git.Groups.ListGroupProjects(groupID, &gitlab.ListGroupProjectsOptions{}))
		must(git.GroupMembers.AddGroupMember(groupID, &gitlab.AddGroupMemberOptions{UserID: to(userID), AccessLevel: to(gitlab.DeveloperPermissions), ExpiresAt: to("2031-01-01")}))
		must(git.GroupMembers.EditGroupMember(groupID, userID, &gitlab.EditGroupMemberOptions{AccessLevel: to(gitlab.MaintainerPermissions)}))
		must(git.GroupMembers.GetGroupMember(groupID, userID))
		some(must(git.Groups.ListGroupMembers(groupID, &gitlab.ListGroupMembersOptions{})))
		some(must(git.Groups.ListAllGroupMembers(groupID, &gitlab.ListGroupMembersOptions{})))
		token := must(git.GroupAccessTokens.CreateGroupAccessToken(groupID, &gitlab.CreateGroupAccessTokenOptions{Name: to("g"), Scopes: to([]string{"api"}), ExpiresAt: &soon}))
		must(git.GroupAccessTokens.RotateGroupAccessToken(groupID, token.ID, &gitlab.RotateGroupAccessTokenOptions{}))
		some(must(git.GroupAccessTokens.ListGroupAccessTokens(groupID, &gitlab.ListGroupAccessTokensOptions{})))
	})
	step("projects", func() {
		project := must(git.Projects.CreateProject(&gitlab.CreateProjectOptions{Name: to("seen"), InitializeWithReadme: to(true), Topics: to([]string{"a", "b"}), Visibility: to(gitlab.PublicVisibility)}))
		projectID = project.ID
		seen := must(git.Projects.GetProject(at, &gitlab.GetProjectOptions{License: to(true), Statistics: to(true)}))
		equal(seen.Topics, []string{"a", "b"})
		must(git.Projects.EditProject(at, &gitlab.EditProjectOptions{Description: to("What is seen"), SharedRunnersEnabled: to(true)}))
		some(must(git.Projects.ListProjects(&gitlab.ListProjectsOptions{Owned: to(true), Statistics: to(true)})))
		some(must(git.Projects.ListUserProjects("root", &gitlab.ListProjectsOptions{})))
		must(git.Projects.StarProject(at))
		some(must(git.Projects.ListProjectStarrers(at, &gitlab.ListProjectStarrersOptions{})))
		must(git.Projects.UnstarProject(at))
		must(git.Projects.ArchiveProject(at))
		must(git.Projects.UnarchiveProject(at))
		must(git.ProjectMembers.AddProjectMember(at, &gitlab.AddProjectMemberOptions{UserID: userID, AccessLevel: to(gitlab.MaintainerPermissions)}))
		must(git.ProjectMembers.GetProjectMember(at, userID))
		some(must(git.ProjectMembers.ListAllProjectMembers(at, &gitlab.ListProjectMembersOptions{})))
		token := must(git.ProjectAccessTokens.CreateProjectAccessToken(at, &gitlab.CreateProjectAccessTokenOptions{Name: to("p"), Scopes: to([]string{"api"}), ExpiresAt: &soon}))
		must(git.ProjectAccessTokens.GetProjectAccessToken(at, token.ID))
		some(must(git.ProjectAccessTokens.ListProjectAccessTokens(at, &gitlab.ListProjectAccessTokensOptions{})))
		some(must(git.Namespaces.ListNamespaces(&gitlab.ListNamespacesOptions{Search: to("shared")})))
		must(git.Namespaces.GetNamespace("shared"))
		must(git.Namespaces.NamespaceExists("shared", &gitlab.NamespaceExistsOptions{}))
	})
}

var sha string

func code() {
	step("files and commits", func() {
		words := &gitlab.CreateFileOptions{Branch: to("main"), Content: to("one\n"), CommitMessage: to("Write")}
		must(git.RepositoryFiles.CreateFile(at, "lib/ä b.txt", words))
		must(git.RepositoryFiles.UpdateFile(at, "lib/ä b.txt", &gitlab.UpdateFileOptions{Branch: to("main"), Content: to("two\n"), CommitMessage: to("Write more")}))
		equal(must(git.RepositoryFiles.GetFile(at, "lib/ä b.txt", &gitlab.GetFileOptions{Ref: to("main")})).Size, 4)
		equal(must(git.RepositoryFiles.GetFileMetaData(at, "lib/ä b.txt", &gitlab.GetFileMetaDataOptions{Ref: to("main")})).Size, 4)
		equal(string(must(git.RepositoryFiles.GetRawFile(at, "lib/ä b.txt", &gitlab.GetRawFileOptions{Ref: to("main")}))), "two\n")
		some(must(git.RepositoryFiles.GetFileBlame(at, "lib/ä b.txt", &gitlab.GetFileBlameOptions{Ref: to("main")})))
		actions := []*gitlab.CommitActionOptions{{Action: to(gitlab.FileCreate), FilePath: to("a.txt"), Content: to("a")}, {Action: to(gitlab.FileMove), FilePath: to("b.txt"), PreviousPath: to("lib/ä b.txt")}}
		commit := must(git.Commits.CreateCommit(at, &gitlab.CreateCommitOptions{Branch: to("main"), CommitMessage: to("Both"), Actions: actions, Stats: to(true)}))
		sha = commit.ID
		must(git.Commits.GetCommit(at, "main", &gitlab.GetCommitOptions{Stats: to(true)}))
		some(must(git.Commits.ListCommits(at, &gitlab.ListCommitsOptions{WithStats: to(true)})))
		some(must(git.Commits.GetCommitDiff(at, sha, &gitlab.GetCommitDiffOptions{})))
		some(must(git.Commits.GetCommitRefs(at, sha, &gitlab.GetCommitRefsOptions{})))
		must(git.Commits.PostCommitComment(at, sha, &gitlab.PostCommitCommentOptions{Note: to("Odd"), Path: to("a.txt"), Line: to(int64(1)), LineType: to("new")}))
		some(must(git.Commits.GetCommitComments(at, sha, &gitlab.GetCommitCommentsOptions{})))
		must(git.Commits.SetCommitStatus(at, sha, &gitlab.SetCommitStatusOptions{State: gitlab.Success, Name: to("outside"), Coverage: to(71.5)}))
		some(must(git.Commits.GetCommitStatuses(at, sha, &gitlab.GetCommitStatusesOptions{})))
		must(git.Commits.ListMergeRequestsByCommit(at, sha))
		done(git.RepositoryFiles.DeleteFile(at, "b.txt", &gitlab.DeleteFileOptions{Branch: to("main"), CommitMessage: to("Gone")}))
	})
	step("the repository", func() {
		some(must(git.Repositories.ListTree(at, &gitlab.ListTreeOptions{Recursive: to(true)})))
		must(git.Repositories.Compare(at, &gitlab.CompareOptions{From: to(sha), To: to("main")}))
		some(must(git.Repositories.Contributors(at, &gitlab.ListContributorsOptions{})))
		must(git.Repositories.MergeBase(at, &gitlab.MergeBaseOptions{Ref: to([]string{sha, "main"})}))
		must(git.Repositories.Archive(at, &gitlab.ArchiveOptions{Format: to("zip")}))
	})
	step("branches and tags", func() {
		must(git.Branches.CreateBranch(at, &gitlab.CreateBranchOptions{Branch: to("v1.2/x"), Ref: to("main")}))
		must(git.Branches.GetBranch(at, "v1.2/x"))
		some(must(git.Branches.ListBranches(at, &gitlab.ListBranchesOptions{Search: to("v1")})))
		must(git.Commits.RevertCommit(at, must(git.Branches.GetBranch(at, "v1.2/x")).Commit.ID, &gitlab.RevertCommitOptions{Branch: to("v1.2/x")}))
		done(git.Branches.DeleteBranch(at, "v1.2/x"))
		must(git.Tags.CreateTag(at, &gitlab.CreateTagOptions{TagName: to("v1.2"), Ref: to("main"), Message: to("Told")}))
		must(git.Tags.GetTag(at, "v1.2"))
		some(must(git.Tags.ListTags(at, &gitlab.ListTagsOptions{})))
		must(git.ProtectedBranches.ProtectRepositoryBranches(at, &gitlab.ProtectRepositoryBranchesOptions{Name: to("stable*"), PushAccessLevel: to(gitlab.MaintainerPermissions)}))
		must(git.ProtectedBranches.GetProtectedBranch(at, "stable*"))
		must(git.ProtectedBranches.UpdateProtectedBranch(at, "stable*", &gitlab.UpdateProtectedBranchOptions{AllowForcePush: to(true)}))
		some(must(git.ProtectedBranches.ListProtectedBranches(at, &gitlab.ListProtectedBranchesOptions{})))
		done(git.ProtectedBranches.UnprotectRepositoryBranches(at, "stable*"))
	})
}

func planning() {
	step("labels and milestones", func() {
		label := must(git.Labels.CreateLabel(at, &gitlab.CreateLabelOptions{Name: to("bug"), Color: to("#ff0000")}))
		must(git.Labels.UpdateLabel(at, label.ID, &gitlab.UpdateLabelOptions{Priority: gitlab.NewNullableWithValue(int64(2))}))
		some(must(git.Labels.ListLabels(at, &gitlab.ListLabelsOptions{WithCounts: to(true)})))
		must(git.Labels.SubscribeToLabel(at, label.ID))
		must(git.GroupLabels.CreateGroupLabel(groupID, &gitlab.CreateGroupLabelOptions{Name: to("all"), Color: to("red")}))
		some(must(git.GroupLabels.ListGroupLabels(groupID, &gitlab.ListGroupLabelsOptions{})))
		due := gitlab.ISOTime(time.Date(2031, 1, 2, 0, 0, 0, 0, time.UTC))
		milestone := must(git.Milestones.CreateMilestone(at, &gitlab.CreateMilestoneOptions{Title: to("v1"), DueDate: &due}))
		must(git.Milestones.UpdateMilestone(at, milestone.ID, &gitlab.UpdateMilestoneOptions{StateEvent: to("close")}))
		must(git.Milestones.UpdateMilestone(at, milestone.ID, &gitlab.UpdateMilestoneOptions{StateEvent: to("activate")}))
		some(must(git.Milestones.ListMilestones(at, &gitlab.ListMilestonesOptions{Title: to("v1")})))
		must(git.Milestones.GetMilestoneIssues(at, milestone.ID, &gitlab.GetMilestoneIssuesOptions{}))
	})
	step("issues", func() {
		labels := gitlab.LabelOptions{"bug"}
		due := gitlab.ISOTime(time.Date(2031, 1, 2, 0, 0, 0, 0, time.UTC))
		issue := must(git.Issues.CreateIssue(at, &gitlab.CreateIssueOptions{Title: to("It leaks"), Labels: &labels, AssigneeIDs: to([]int64{userID}), MilestoneID: to(int64(1)), DueDate: &due, Weight: to(int64(3))}))
		must(git.Issues.CreateIssue(at, &gitlab.CreateIssueOptions{Title: to("Near")}))
		must(git.Issues.GetIssue(at, issue.IID))
		must(git.Issues.GetIssueByID(issue.ID))
		must(git.Issues.UpdateIssue(at, 1, &gitlab.UpdateIssueOptions{StateEvent: to("close"), DiscussionLocked: to(true)}))
		must(git.Issues.UpdateIssue(at, 1, &gitlab.UpdateIssueOptions{StateEvent: to("reopen"), DiscussionLocked: to(false)}))
		some(must(git.Issues.ListProjectIssues(at, &gitlab.ListProjectIssuesOptions{Labels: &labels, State: to("opened"), WithLabelDetails: to(true)})))
		some(must(git.Issues.ListIssues(&gitlab.ListIssuesOptions{Scope: to("all")})))
		must(git.Issues.ListGroupIssues(groupID, &gitlab.ListGroupIssuesOptions{}))
		must(git.Issues.UnsubscribeFromIssue(at, 1))
		must(git.Issues.SubscribeToIssue(at, 1))
		some(must(git.Issues.GetParticipants(at, 1)))
		must(git.Issues.SetTimeEstimate(at, 1, &gitlab.SetTimeEstimateOptions{Duration: to("3h")}))
		must(git.Issues.AddSpentTime(at, 1, &gitlab.AddSpentTimeOptions{Duration: to("1h")}))
		must(git.Issues.GetTimeSpent(at, 1))
		must(git.Issues.ListMergeRequestsClosingIssue(at, 1, &gitlab.ListMergeRequestsClosingIssueOptions{}))
		must(git.Issues.ListMergeRequestsRelatedToIssue(at, 1, &gitlab.ListMergeRequestsRelatedToIssueOptions{}))
		must(git.IssuesStatistics.GetProjectIssuesStatistics(at, &gitlab.GetProjectIssuesStatisticsOptions{}))
		must(git.IssueLinks.CreateIssueLink(at, 1, &gitlab.CreateIssueLinkOptions{TargetProjectID: to(at), TargetIssueIID: to("2")}))
		link := some(must(git.IssueLinks.ListIssueRelations(at, 1)))
		must(git.IssueLinks.GetIssueLink(at, 1, link.IssueLinkID))
		must(git.IssueLinks.DeleteIssueLink(at, 1, link.IssueLinkID))
	})
	step("notes, threads, emoji and to-dos", func() {
		note := must(git.Notes.CreateIssueNote(at, 1, &gitlab.CreateIssueNoteOptions{Body: to("Seen")}))
		must(git.Notes.UpdateIssueNote(at, 1, note.ID, &gitlab.UpdateIssueNoteOptions{Body: to("Seen it")}))
		some(must(git.Notes.ListIssueNotes(at, 1, &gitlab.ListIssueNotesOptions{})))
		thread := must(git.Discussions.CreateIssueDiscussion(at, 1, &gitlab.CreateIssueDiscussionOptions{Body: to("Why?")}))
		must(git.Discussions.AddIssueDiscussionNote(at, 1, thread.ID, &gitlab.AddIssueDiscussionNoteOptions{Body: to("So")}))
		some(must(git.Discussions.ListIssueDiscussions(at, 1, &gitlab.ListIssueDiscussionsOptions{})))
		must(git.AwardEmoji.CreateIssueAwardEmoji(at, 1, &gitlab.CreateAwardEmojiOptions{Name: "thumbsup"}))
		must(git.AwardEmoji.CreateIssuesAwardEmojiOnNote(at, 1, note.ID, &gitlab.CreateAwardEmojiOptions{Name: "tada"}))
		some(must(git.AwardEmoji.ListIssueAwardEmoji(at, 1, &gitlab.ListAwardEmojiOptions{})))
		some(must(git.AwardEmoji.ListIssuesAwardEmojiOnNote(at, 1, note.ID, &gitlab.ListAwardEmojiOptions{})))
		must(git.Issues.CreateTodo(at, 1))
		done(git.Todos.MarkTodoAsDone(some(must(git.Todos.ListTodos(&gitlab.ListTodosOptions{}))).ID))
		done(git.Todos.MarkAllTodosAsDone())
	})
	step("histories and events", func() {
		some(must(git.ResourceLabelEvents.ListIssueLabelEvents(at, 1, &gitlab.ListLabelEventsOptions{})))
		some(must(git.ResourceStateEvents.ListIssueStateEvents(at, 1, &gitlab.ListStateEventsOptions{})))
		some(must(git.ResourceMilestoneEvents.ListIssueMilestoneEvents(at, 1, &gitlab.ListMilestoneEventsOptions{})))
		some(must(git.ResourceWeightEvents.ListIssueWeightEvents(at, 1, &gitlab.ListWeightEventsOptions{})))
		some(must(git.Events.ListCurrentUserContributionEvents(&gitlab.ListContributionEventsOptions{})))
		some(must(git.Events.ListProjectVisibleEvents(at, &gitlab.ListProjectVisibleEventsOptions{})))
		some(must(git.Users.ListUserContributionEvents("root", &gitlab.ListContributionEventsOptions{})))
		must(git.NotificationSettings.GetGlobalSettings())
		must(git.NotificationSettings.UpdateSettingsForProject(at, &gitlab.NotificationSettingsOptions{Level: to(gitlab.CustomNotificationLevel), NewNote: to(true)}))
		must(git.NotificationSettings.GetSettingsForProject(at))
		must(git.NotificationSettings.GetSettingsForGroup(groupID))
	})
	step("epics and iterations", func() {
		epic := must(git.Epics.CreateEpic(groupID, &gitlab.CreateEpicOptions{Title: to("All of it")}))
		must(git.Epics.UpdateEpic(groupID, epic.IID, &gitlab.UpdateEpicOptions{Description: to("More")}))
		must(git.Epics.GetEpic(groupID, epic.IID))
		some(must(git.Epics.ListGroupEpics(groupID, &gitlab.ListGroupEpicsOptions{})))
		must(git.GroupIterations.ListGroupIterations(groupID, &gitlab.ListGroupIterationsOptions{}))
	})
	step("wikis and snippets", func() {
		must(git.Wikis.CreateWikiPage(at, &gitlab.CreateWikiPageOptions{Title: to("Home"), Content: to("# Hi")}))
		must(git.Wikis.GetWikiPage(at, "Home", &gitlab.GetWikiPageOptions{}))
		must(git.Wikis.EditWikiPage(at, "Home", &gitlab.EditWikiPageOptions{Content: to("# Ho")}))
		some(must(git.Wikis.ListWikis(at, &gitlab.ListWikisOptions{WithContent: to(true)})))
		must(git.Wikis.UploadWikiAttachment(at, strings.NewReader("a"), "a.txt", &gitlab.UploadWikiAttachmentOptions{}))
		done(git.Wikis.DeleteWikiPage(at, "Home"))
	})
}

func requests() {
	step("merge requests", func() {
		for _, name := range []string{"one", "two"} {
			actions := []*gitlab.CommitActionOptions{{Action: to(gitlab.FileCreate), FilePath: to(name + ".txt"), Content: to(name)}}
			must(git.Commits.CreateCommit(at, &gitlab.CreateCommitOptions{Branch: to(name), StartBranch: to("main"), CommitMessage: to(name), Actions: actions}))
			labels := gitlab.LabelOptions{"bug"}
			must(git.MergeRequests.CreateMergeRequest(at, &gitlab.CreateMergeRequestOptions{Title: to(name), SourceBranch: to(name), TargetBranch: to("main"), Labels: &labels, AssigneeID: to(userID), ReviewerIDs: to([]int64{userID}), MilestoneID: to(int64(1)), Description: to("Closes #1")}))
		}
		must(git.MergeRequests.GetMergeRequest(at, 1, &gitlab.GetMergeRequestsOptions{IncludeRebaseInProgress: to(true), IncludeDivergedCommitsCount: to(true)}))
		some(must(git.MergeRequests.ListProjectMergeRequests(at, &gitlab.ListProjectMergeRequestsOptions{WIP: to("no"), WithLabelsDetails: to(true)})))
		some(must(git.MergeRequests.ListMergeRequests(&gitlab.ListMergeRequestsOptions{Scope: to("all")})))
		some(must(git.MergeRequests.GetMergeRequestCommits(at, 1, &gitlab.GetMergeRequestCommitsOptions{})))
		some(must(git.MergeRequests.ListMergeRequestDiffs(at, 1, &gitlab.ListMergeRequestDiffsOptions{})))
		version := some(must(git.MergeRequests.GetMergeRequestDiffVersions(at, 1, &gitlab.GetMergeRequestDiffVersionsOptions{})))
		must(git.MergeRequests.GetSingleMergeRequestDiffVersion(at, 1, version.ID, &gitlab.GetSingleMergeRequestDiffVersionOptions{}))
		some(must(git.MergeRequests.GetMergeRequestParticipants(at, 1)))
		some(must(git.MergeRequests.GetMergeRequestReviewers(at, 1)))
		must(git.MergeRequests.ShowMergeRequestRawDiffs(at, 1, &gitlab.ShowMergeRequestRawDiffsOptions{}))
		must(git.MergeRequests.ListMergeRequestPipelines(at, 1))
		some(must(git.MergeRequests.GetIssuesClosedOnMerge(at, 1, &gitlab.GetIssuesClosedOnMergeOptions{})))
		must(git.MergeRequests.UpdateMergeRequest(at, 1, &gitlab.UpdateMergeRequestOptions{Title: to("Draft: one")}))
		must(git.MergeRequests.UpdateMergeRequest(at, 1, &gitlab.UpdateMergeRequestOptions{Title: to("one")}))
		must(git.MergeRequests.CreateTodo(at, 1))
		must(git.MergeRequests.SetTimeEstimate(at, 1, &gitlab.SetTimeEstimateOptions{Duration: to("1d")}))
		must(git.MergeRequestApprovals.GetConfiguration(at, 1))
		must(git.MergeRequestApprovals.GetApprovalState(at, 1))
	})
	step("threads of merge requests", func() {
		seen := must(git.MergeRequests.GetMergeRequest(at, 1, nil))
		position := &gitlab.PositionOptions{BaseSHA: &seen.DiffRefs.BaseSha, StartSHA: &seen.DiffRefs.StartSha, HeadSHA: &seen.DiffRefs.HeadSha, PositionType: to("text"), NewPath: to("one.txt"), OldPath: to("one.txt"), NewLine: to(int64(1))}
		thread := must(git.Discussions.CreateMergeRequestDiscussion(at, 1, &gitlab.CreateMergeRequestDiscussionOptions{Body: to("Here?"), Position: position}))
		must(git.Discussions.ResolveMergeRequestDiscussion(at, 1, thread.ID, &gitlab.ResolveMergeRequestDiscussionOptions{Resolved: to(true)}))
		some(must(git.Discussions.ListMergeRequestDiscussions(at, 1, &gitlab.ListMergeRequestDiscussionsOptions{})))
		some(must(git.Notes.ListMergeRequestNotes(at, 1, &gitlab.ListMergeRequestNotesOptions{})))
		must(git.AwardEmoji.CreateMergeRequestAwardEmoji(at, 1, &gitlab.CreateAwardEmojiOptions{Name: "eyes"}))
	})
	step("merging", func() {
		must(git.MergeRequests.AcceptMergeRequest(at, 1, &gitlab.AcceptMergeRequestOptions{Squash: to(true), ShouldRemoveSourceBranch: to(true)}))
		done(git.MergeRequests.RebaseMergeRequest(at, 2, &gitlab.RebaseMergeRequestOptions{}))
		eventually(func() bool {
			return !must(git.MergeRequests.GetMergeRequest(at, 2, &gitlab.GetMergeRequestsOptions{IncludeRebaseInProgress: to(true)})).RebaseInProgress
		})
		must(git.MergeRequests.UpdateMergeRequest(at, 2, &gitlab.UpdateMergeRequestOptions{StateEvent: to("close")}))
		some(must(git.ResourceStateEvents.ListMergeStateEvents(at, 2, &gitlab.ListStateEventsOptions{})))
		some(must(git.ResourceLabelEvents.ListMergeRequestsLabelEvents(at, 2, &gitlab.ListLabelEventsOptions{})))
		must(git.MergeRequests.GetMergeRequest(at, 1, nil))
	})
}

const file = `
build:
  stage: build
  script: [make]
  artifacts: { paths: [out/] }
  environment: review/main
  resource_group: one
ship:
  stage: deploy
  when: manual
  script: [ship]
`

func pipelines() {
	var pipeline *gitlab.Pipeline
	step("a pipeline", func() {
		must(git.RepositoryFiles.CreateFile(at, ".gitlab-ci.yml", &gitlab.CreateFileOptions{Branch: to("main"), Content: to(file), CommitMessage: to("Build [skip ci]")}))
		lint := must(git.Validate.ProjectLint(at, &gitlab.ProjectLintOptions{DryRun: to(true), IncludeJobs: to(true)}))
		equal(lint.Valid, true)
		equal(must(git.Validate.ProjectNamespaceLint(at, &gitlab.ProjectNamespaceLintOptions{Content: to(file), DryRun: to(true), Ref: to("")})).Valid, true)
		variables := []*gitlab.PipelineVariableOptions{{Key: to("A"), Value: to("b")}}
		pipeline = must(git.Pipelines.CreatePipeline(at, &gitlab.CreatePipelineOptions{Ref: to("main"), Variables: &variables}))
		some(must(git.Pipelines.ListProjectPipelines(at, &gitlab.ListProjectPipelinesOptions{Ref: to("main")})))
		some(must(git.Pipelines.GetPipelineVariables(at, pipeline.ID)))
		must(git.Pipelines.GetLatestPipeline(at, &gitlab.GetLatestPipelineOptions{Ref: to("main")}))
		must(git.Pipelines.UpdatePipelineMetadata(at, pipeline.ID, &gitlab.UpdatePipelineMetadataOptions{Name: to("Nightly")}))
	})
	step("jobs and runners", func() {
		made := must(git.Users.CreateUserRunner(&gitlab.CreateUserRunnerOptions{RunnerType: to("instance_type"), Description: to("by hand"), TagList: to([]string{"x"}), RunUntagged: to(true)}))
		done(git.Runners.VerifyRegisteredRunner(&gitlab.VerifyRegisteredRunnerOptions{Token: to(made.Token)}))
		some(must(git.Runners.ListAllRunners(&gitlab.ListRunnersOptions{TagList: to([]string{"x"})})))
		must(git.Runners.ListRunners(&gitlab.ListRunnersOptions{}))
		some(must(git.Runners.ListProjectRunners(at, &gitlab.ListProjectRunnersOptions{})))
		must(git.Runners.ListGroupsRunners(groupID, &gitlab.ListGroupsRunnersOptions{}))
		must(git.Runners.GetRunnerDetails(made.ID))
		must(git.Runners.UpdateRunnerDetails(made.ID, &gitlab.UpdateRunnerDetailsOptions{Description: to("still by hand")}))
		eventually(func() bool { return must(git.Pipelines.GetPipeline(at, pipeline.ID)).Status == "pending" })
		time.Sleep(1200 * time.Millisecond)
		taken := struct {
			ID    int64
			Token string
		}{}
		request, _ := git.NewRequest("POST", "jobs/request", map[string]string{"token": made.Token}, nil)
		done(git.Do(request, &taken))
		equal(must(git.Pipelines.GetPipeline(at, pipeline.ID)).Status, "running")
		some(must(git.Runners.ListRunnerJobs(made.ID, &gitlab.ListRunnerJobsOptions{})))
		time.Sleep(1200 * time.Millisecond)
		request, _ = git.NewRequest("PUT", fmt.Sprintf("jobs/%d", taken.ID), map[string]string{"token": taken.Token, "state": "success"}, nil)
		done(git.Do(request, nil))
		some(must(git.Jobs.ListProjectJobs(at, &gitlab.ListJobsOptions{})))
		jobs := must(git.Jobs.ListPipelineJobs(at, pipeline.ID, &gitlab.ListJobsOptions{}))
		equal(len(jobs), 2)
		must(git.Jobs.ListPipelineBridges(at, pipeline.ID, &gitlab.ListJobsOptions{}))
		must(git.Jobs.GetJob(at, taken.ID))
		log := must(git.Jobs.GetTraceFile(at, taken.ID))
		_, _ = io.Copy(io.Discard, log)
		must(git.Jobs.RetryJob(at, taken.ID))
		must(git.Jobs.PlayJob(at, jobs[0].ID, &gitlab.PlayJobOptions{}))
		must(git.Jobs.CancelJob(at, jobs[0].ID))
		must(git.Pipelines.CancelPipelineBuild(at, pipeline.ID))
		must(git.Pipelines.RetryPipelineBuild(at, pipeline.ID))
		must(git.Pipelines.GetPipeline(at, pipeline.ID))
		some(must(git.ResourceGroup.GetAllResourceGroupsForAProject(at)))
		must(git.ResourceGroup.EditAnExistingResourceGroup(at, "one", &gitlab.EditAnExistingResourceGroupOptions{ProcessMode: to(gitlab.OldestFirst)}))
	})
	step("schedules and triggers", func() {
		schedule := must(git.PipelineSchedules.CreatePipelineSchedule(at, &gitlab.CreatePipelineScheduleOptions{Description: to("Hourly"), Ref: to("main"), Cron: to("0 * * * *"), CronTimezone: to("UTC")}))
		must(git.PipelineSchedules.CreatePipelineScheduleVariable(at, schedule.ID, &gitlab.CreatePipelineScheduleVariableOptions{Key: to("A"), Value: to("b")}))
		must(git.PipelineSchedules.EditPipelineScheduleVariable(at, schedule.ID, "A", &gitlab.EditPipelineScheduleVariableOptions{Value: to("c")}))
		must(git.PipelineSchedules.EditPipelineSchedule(at, schedule.ID, &gitlab.EditPipelineScheduleOptions{Active: to(false)}))
		must(git.PipelineSchedules.TakeOwnershipOfPipelineSchedule(at, schedule.ID))
		done(git.PipelineSchedules.RunPipelineSchedule(at, schedule.ID))
		eventually(func() bool {
			return len(must(git.PipelineSchedules.ListPipelinesTriggeredBySchedule(at, schedule.ID, &gitlab.ListPipelinesTriggeredByScheduleOptions{}))) == 1
		})
		must(git.PipelineSchedules.GetPipelineSchedule(at, schedule.ID))
		some(must(git.PipelineSchedules.ListPipelineSchedules(at, &gitlab.ListPipelineSchedulesOptions{})))
		trigger := must(git.PipelineTriggers.AddPipelineTrigger(at, &gitlab.AddPipelineTriggerOptions{Description: to("t")}))
		must(git.PipelineTriggers.RunPipelineTrigger(at, &gitlab.RunPipelineTriggerOptions{Ref: to("main"), Token: to(trigger.Token), Variables: map[string]string{"A": "b"}}))
		some(must(git.PipelineTriggers.ListPipelineTriggers(at, &gitlab.ListPipelineTriggersOptions{})))
	})
	step("variables", func() {
		must(git.ProjectVariables.CreateVariable(at, &gitlab.CreateProjectVariableOptions{Key: to("A"), Value: to("b"), EnvironmentScope: to("prod")}))
		must(git.ProjectVariables.UpdateVariable(at, "A", &gitlab.UpdateProjectVariableOptions{Value: to("c"), Filter: &gitlab.VariableFilter{EnvironmentScope: "prod"}}))
		must(git.ProjectVariables.GetVariable(at, "A", &gitlab.GetProjectVariableOptions{Filter: &gitlab.VariableFilter{EnvironmentScope: "prod"}}))
		some(must(git.ProjectVariables.ListVariables(at, &gitlab.ListProjectVariablesOptions{})))
		must(git.GroupVariables.CreateVariable(groupID, &gitlab.CreateGroupVariableOptions{Key: to("A"), Value: to("b")}))
		some(must(git.GroupVariables.ListVariables(groupID, &gitlab.ListGroupVariablesOptions{})))
		must(git.InstanceVariables.CreateVariable(&gitlab.CreateInstanceVariableOptions{Key: to("A"), Value: to("b")}))
		some(must(git.InstanceVariables.ListVariables(&gitlab.ListInstanceVariablesOptions{})))
	})
}

func environments() {
	step("environments and deployments", func() {
		environment := must(git.Environments.CreateEnvironment(at, &gitlab.CreateEnvironmentOptions{Name: to("prod"), ExternalURL: to("https://prod.example.com"), Tier: to("production")}))
		must(git.Environments.EditEnvironment(at, environment.ID, &gitlab.EditEnvironmentOptions{ExternalURL: to("https://p.example.com")}))
		deployment := must(git.Deployments.CreateProjectDeployment(at, &gitlab.CreateProjectDeploymentOptions{Environment: to("prod"), Ref: to("main"), SHA: to(sha), Tag: to(false), Status: to(gitlab.DeploymentStatusRunning)}))
		must(git.Deployments.UpdateProjectDeployment(at, deployment.ID, &gitlab.UpdateProjectDeploymentOptions{Status: to(gitlab.DeploymentStatusSuccess)}))
		must(git.Deployments.GetProjectDeployment(at, deployment.ID))
		some(must(git.Deployments.ListProjectDeployments(at, &gitlab.ListProjectDeploymentsOptions{OrderBy: to("updated_at")})))
		must(git.DeploymentMergeRequests.ListDeploymentMergeRequests(at, deployment.ID, &gitlab.ListMergeRequestsOptions{}))
		must(git.Environments.GetEnvironment(at, environment.ID))
		some(must(git.Environments.ListEnvironments(at, &gitlab.ListEnvironmentsOptions{Search: to("prod")})))
		levels := []*gitlab.EnvironmentAccessOptions{{AccessLevel: to(gitlab.MaintainerPermissions)}}
		must(git.ProtectedEnvironments.ProtectRepositoryEnvironments(at, &gitlab.ProtectRepositoryEnvironmentsOptions{Name: to("prod"), DeployAccessLevels: &levels}))
		must(git.ProtectedEnvironments.GetProtectedEnvironment(at, "prod"))
		some(must(git.ProtectedEnvironments.ListProtectedEnvironments(at, &gitlab.ListProtectedEnvironmentsOptions{})))
		done(git.ProtectedEnvironments.UnprotectEnvironment(at, "prod"))
		must(git.Environments.StopEnvironment(at, environment.ID, &gitlab.StopEnvironmentOptions{}))
	})
	step("error tracking", func() {
		must(git.ErrorTracking.CreateErrorTrackingSettings(at, &gitlab.CreateErrorTrackingSettingsOptions{Active: to(true), Integrated: to(true)}))
		must(git.ErrorTracking.EnableDisableErrorTracking(at, &gitlab.EnableDisableErrorTrackingOptions{Active: to(true), Integrated: to(true)}))
		must(git.ErrorTracking.GetErrorTrackingSettings(at))
		must(git.ErrorTracking.CreateClientKey(at))
		done(git.ErrorTracking.DeleteClientKey(at, some(must(git.ErrorTracking.ListClientKeys(at, &gitlab.ListClientKeysOptions{}))).ID))
	})
}

func administration() {
	step("settings, features, limits and versions", func() {
		must(git.Settings.GetSettings())
		must(git.Settings.UpdateSettings(&gitlab.UpdateSettingsOptions{DefaultProjectsLimit: to(int64(50))}))
		must(git.Features.SetFeatureFlag("odd", &gitlab.SetFeatureFlagOptions{Value: true}))
		some(must(git.Features.ListFeatures()))
		must(git.Features.ListFeatureDefinitions())
		must(git.Version.GetVersion())
		must(git.Metadata.GetMetadata())
	})
	step("applications and audit events", func() {
		made := must(git.Applications.CreateApplication(&gitlab.CreateApplicationOptions{Name: to("App"), RedirectURI: to("https://app.example.com"), Scopes: to("api")}))
		must(git.Applications.RenewApplicationSecret(made.ID))
		some(must(git.Applications.ListApplications(&gitlab.ListApplicationsOptions{})))
		done(git.Applications.DeleteApplication(made.ID))
		event := some(must(git.AuditEvents.ListInstanceAuditEvents(&gitlab.ListAuditEventsOptions{})))
		must(git.AuditEvents.GetInstanceAuditEvent(event.ID))
		must(git.AuditEvents.ListProjectAuditEvents(at, &gitlab.ListAuditEventsOptions{}))
		must(git.AuditEvents.ListGroupAuditEvents(groupID, &gitlab.ListAuditEventsOptions{}))
	})
	step("sites, storage moves, certificates and migrations", func() {
		site := must(git.GeoSites.CreateGeoSite(&gitlab.CreateGeoSitesOptions{Name: to("far"), URL: to("https://far.example.com")}))
		must(git.GeoSites.EditGeoSite(site.ID, &gitlab.EditGeoSiteOptions{Enabled: to(false)}))
		some(must(git.GeoSites.ListGeoSites(&gitlab.ListGeoSitesOptions{})))
		must(git.GeoSites.ListStatusOfAllGeoSites(&gitlab.ListStatusOfAllGeoSitesOptions{}))
		done(git.GeoSites.DeleteGeoSite(site.ID))
		must(git.ProjectRepositoryStorageMove.RetrieveAllStorageMoves(gitlab.RetrieveAllProjectStorageMovesOptions{}))
		must(git.BulkImports.ListBulkImports(&gitlab.ListBulkImportsOptions{}))
	})
	step("snippets", func() {
		must(git.Snippets.ListAllSnippets(&gitlab.ListAllSnippetsOptions{}))
	})
	step("what is deleted", func() {
		done(git.Issues.DeleteIssue(at, 2))
		done(git.MergeRequests.DeleteMergeRequest(at, 2))
		done(git.Projects.DeleteProject(at, &gitlab.DeleteProjectOptions{}))
		done(git.Groups.DeleteGroup(groupID, &gitlab.DeleteGroupOptions{}))
		done(git.Users.DeleteUser(userID))
	})
}
