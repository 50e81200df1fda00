#!/bin/sh
# Package:   org.gitlab4j:gitlab4j-api 6.2.0 (Maven)
# Input:     the branch `feature/one` where a method takes a branch, and where a method takes a commit, which the API
#            allows to be the name of a branch.
# Expected:  the slash is encoded in both, as `feature%2Fone`.
# Behaviour: `RepositoryApi.getBranch` and `CommitsApi.getCommit` encode it. `CommitsApi.getDiff`, of the same class, puts
#            it into the path as it is, so that the server sees another route and answers 404. It works with every
#            branch whose name has no slash.
# Fails if the package behaves otherwise.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
cat >pom.xml <<'XML'
<project>
  <modelVersion>4.0.0</modelVersion><groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.gitlab4j</groupId><artifactId>gitlab4j-api</artifactId><version>6.2.0</version>
  </dependency></dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib
cat >Run.java <<'JAVA'
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import org.gitlab4j.api.GitLabApi;

public class Run {
  static String path;

  static void check(String name, String expected) {
    System.out.println(name + ": " + path);
    if (!path.equals("/api/v4/projects/1/repository/" + expected)) System.exit(1);
  }

  public static void main(String[] arguments) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", exchange -> {
      path = exchange.getRequestURI().getRawPath();
      byte[] body = (path.endsWith("/diff") ? "[]" : "{}").getBytes();
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
    server.start();
    GitLabApi api = new GitLabApi("http://127.0.0.1:" + server.getAddress().getPort(), "token");
    api.getRepositoryApi().getBranch(1L, "feature/one");
    check("getBranch", "branches/feature%2Fone");
    api.getCommitsApi().getCommit(1L, "feature/one");
    check("getCommit", "commits/feature%2Fone");
    api.getCommitsApi().getDiff(1L, "feature/one");
    check("getDiff", "commits/feature/one/diff");
    System.exit(0);
  }
}
JAVA
javac -cp 'lib/*' -d classes Run.java
java -cp 'classes:lib/*' Run
