package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// sandbox says where the compiled answers run.
type sandbox struct {
	name  string // docker, podman, unshare or none
	image string // for docker and podman; what is in it does not matter
}

var sandboxes = []string{"docker", "podman", "unshare", "none"}

// unshared runs the command that follows without a network, and ends it when it
// is ended itself.
var unshared = []string{"--user", "--map-root-user", "--net", "--ipc", "--pid", "--fork", "--kill-child", "--"}

// command makes the command that runs binary with args in the sandbox: without
// a network, with limited memory and, in a container, with no files but itself.
func (s sandbox) command(ctx context.Context, binary, secret string, args ...string) *exec.Cmd {
	env := "JSQLAB_SECRET=" + secret
	var cmd *exec.Cmd
	switch s.name {
	case "docker", "podman":
		name := "jsqlab-" + strings.ToLower(secret[:12])
		cmd = exec.CommandContext(ctx, s.name, append([]string{"run", "--rm", "--name", name, "--log-driver", "none", "--network", "none", "--read-only", "--cap-drop", "ALL",
			"--security-opt", "no-new-privileges", "--memory", "2g", "--memory-swap", "2g", "--cpus", "2", "--pids-limit", "128", "--user", "65534:65534",
			"--env", env, "--volume", binary + ":/submission.test:ro", "--workdir", "/", "--entrypoint", "/submission.test", s.image}, args...)...)
		cmd.Cancel = func() error { // the client's end is not the container's
			_ = exec.Command(s.name, "kill", name).Run()
			return cmd.Process.Kill()
		}
		return cmd
	case "unshare":
		// 8 GB of addresses: Go reserves many more than it uses.
		cmd = exec.CommandContext(ctx, "unshare", slices.Concat(unshared,
			[]string{"sh", "-c", `ulimit -v 8388608 || exit 125; exec "$0" "$@"`, binary}, args)...)
		cmd.Env = []string{env, "PATH=" + os.Getenv("PATH")}
	default:
		cmd = exec.CommandContext(ctx, binary, args...)
		cmd.Env = []string{env}
	}
	asGroup(cmd)
	return cmd
}

// asGroup makes the command a process group, so that its end is the end of its
// children too.
func asGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// started reports whether a test has begun, from what it printed and its exit
// status: 125 to 127 are those of docker, podman and sh.
func started(out []byte, status int) bool {
	if status >= 125 && status <= 127 {
		return false
	}
	for _, sign := range []string{"=== RUN ", "panic: ", "fatal error: "} { // the last two before the test
		if bytes.Contains(out, []byte(sign)) {
			return true
		}
	}
	return false
}

// check says why the sandbox cannot be used, if it cannot.
func (s sandbox) check(ctx context.Context) error {
	var probe *exec.Cmd
	switch s.name {
	case "docker", "podman":
		probe = exec.CommandContext(ctx, s.name, "version")
	case "unshare":
		probe = exec.CommandContext(ctx, "unshare", append(slices.Clone(unshared), "true")...)
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
