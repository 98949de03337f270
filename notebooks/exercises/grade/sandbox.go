package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// sandbox says where the compiled answers run.
type sandbox struct {
	name  string // docker, podman, unshare or none
	image string // for docker and podman; what is in it does not matter
}

var sandboxes = []string{"docker", "podman", "unshare", "none"}

// command makes the command that runs binary with args in the sandbox: without
// a network, with limited memory and, in a container, with no files but itself.
func (s sandbox) command(ctx context.Context, binary, secret string, args ...string) *exec.Cmd {
	env := "JSQLAB_SECRET=" + secret
	var cmd *exec.Cmd
	switch s.name {
	case "docker", "podman":
		name := "jsqlab-" + strings.ToLower(secret[:12])
		cmd = exec.CommandContext(ctx, s.name, append([]string{"run", "--rm", "--name", name, "--network", "none", "--read-only", "--cap-drop", "ALL",
			"--security-opt", "no-new-privileges", "--memory", "2g", "--memory-swap", "2g", "--cpus", "2", "--pids-limit", "128", "--user", "65534:65534",
			"--env", env, "--volume", binary + ":/submission.test:ro", "--workdir", "/", "--entrypoint", "/submission.test", s.image}, args...)...)
		cmd.Cancel = func() error { // the client's end is not the container's
			_ = exec.Command(s.name, "kill", name).Run()
			return cmd.Process.Kill()
		}
	case "unshare":
		// 8 GB of addresses: Go reserves many more than it uses.
		cmd = exec.CommandContext(ctx, "unshare", append([]string{"--user", "--map-root-user", "--net", "--ipc", "--pid", "--fork", "--kill-child", "--",
			"sh", "-c", `ulimit -v 8388608 && exec "$0" "$@"`, binary}, args...)...)
		cmd.Env = []string{env, "PATH=" + os.Getenv("PATH")}
	default:
		cmd = exec.CommandContext(ctx, binary, args...)
		cmd.Env = []string{env}
	}
	return cmd
}

// broken reports whether an exit status is the sandbox's own, and not that of
// the test in it.
func (s sandbox) broken(status int) bool {
	return (s.name == "docker" || s.name == "podman") && status >= 125 && status <= 127
}

// check says why the sandbox cannot be used, if it cannot.
func (s sandbox) check(ctx context.Context) error {
	var probe *exec.Cmd
	switch s.name {
	case "docker", "podman":
		probe = exec.CommandContext(ctx, s.name, "version")
	case "unshare":
		probe = exec.CommandContext(ctx, "unshare", "--user", "--map-root-user", "--net", "--ipc", "--pid", "--fork", "--kill-child", "--", "true")
	case "none":
		return nil
	default:
		return fmt.Errorf("-sandbox = %s: want %s", s.name, strings.Join(sandboxes, ", "))
	}
	if out, err := probe.CombinedOutput(); err != nil {
		return fmt.Errorf("-sandbox = %s does not work here: %w: %s", s.name, err, strings.TrimSpace(string(out)))
	}
	return nil
}
