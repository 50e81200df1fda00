// Drives a Hearth server with the client that oapi-codegen makes of its OpenAPI document.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func to[T any](value T) *T { return &value }

func decode(text string, value any) {
	if err := json.Unmarshal([]byte(text), value); err != nil {
		panic(err)
	}
}

func authenticate(_ context.Context, request *http.Request) error {
	request.Header.Set("PRIVATE-TOKEN", os.Getenv("TOKEN"))
	return nil
}

func main() {
	ctx := context.Background()
	client := must(NewClientWithResponses(os.Getenv("HEARTH"), WithRequestEditorFn(authenticate)))

	project := must(client.CreateProjectWithResponse(ctx, CreateProjectJSONRequestBody{Name: to("generated-go"), InitializeWithReadme: to(true)}))
	if project.JSON201 == nil {
		panic(string(project.Body))
	}
	id := fmt.Sprint(project.JSON201.Id)

	file := must(client.CreateFileWithResponse(ctx, id, "a/b.txt", CreateFileJSONRequestBody{Branch: "main", CommitMessage: "Write", Content: "text"}))
	if file.JSON201 == nil {
		panic(string(file.Body))
	}
	var body CreateCommitJSONRequestBody
	actions := `[{"action":"create","file_path":"c.txt","content":"c"}]`
	decode(`{"branch":"main","commit_message":"More","actions":`+actions+`}`, &body)
	if (*body.Actions)[0].Action != CreateCommitBodyActionsActionCreate {
		panic("the action is " + (*body.Actions)[0].Action)
	}
	commit := must(client.CreateCommitWithResponse(ctx, id, body))
	if commit.JSON201 == nil {
		panic(string(commit.Body))
	}
	commits := must(client.ListCommitsWithResponse(ctx, id, &ListCommitsParams{}))
	titles := []string{}
	for _, one := range *commits.JSON200 {
		titles = append(titles, one.Title)
	}
	fmt.Println(strings.Join(titles, ","))

	issue := must(client.CreateIssueWithResponse(ctx, id, CreateIssueJSONRequestBody{Title: "Broken"}))
	if issue.JSON201 == nil {
		panic(string(issue.Body))
	}
	change := UpdateIssueJSONRequestBody{StateEvent: to(UpdateIssueBodyStateEventClose)}
	closed := must(client.UpdateIssueWithResponse(ctx, id, issue.JSON201.Iid, change))
	fmt.Println(closed.JSON200.State)
	issues := must(client.ListProjectIssuesWithResponse(ctx, id, &ListProjectIssuesParams{}))
	fmt.Println((*issues.JSON200)[0].Title)
}
