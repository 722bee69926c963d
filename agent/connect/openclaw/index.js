// git-claw plugin, version 1
// Written by 'git claw connect openclaw'; 'git claw connect openclaw --remove' takes it out.
//
// It tells git-claw when a turn begins and ends and when a session closes, so
// that what an agent wrote becomes a commit. It reads no prompt and no answer,
// returns before git-claw runs, and never throws: the host must not notice it.
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";

const binary = "@BINARY@";

const lastingEvents = [
  "agent:bootstrap", // a turn begins, mostly
  "command:new",
  "command:reset",
  "command:stop",
  "session:compact:before",
  "session:auto-reset",
  "gateway:shutdown",
];

const maxWaiting = 32; // events of one workspace; more means git-claw hangs
const maxRunMs = 60_000;
const maxQuietMs = 30 * 60_000; // a turn that calls no model for so long has ended unseen

export default {
  id: "git-claw",
  name: "git claw",
  description: "Records what agents write as commits",
  register(api) {
    quietly(() => api.on("model_call_started", (_event, ctx) => quietly(() => modelCalled(ctx))));
    quietly(() => api.on("agent_end", (_event, ctx) => quietly(() => notice("agent_end", ctx, ctx?.sessionKey))));
    quietly(() =>
      api.registerHook(
        lastingEvents,
        (event) => quietly(() => notice(`${event.type}:${event.action}`, event.context, event.sessionKey)),
        { name: "git-claw", description: "Records what agents write as commits" },
      ),
    );
  },
};

// OpenClaw loads a plugin more than once, its hooks in one copy and its other
// handlers in the next, so what they know is kept where all copies see it.
const { workspaces, announced, running, waiting } = (globalThis[Symbol.for("git-claw/1")] ??= {
  // Where each agent works: some events name only the session.
  workspaces: new Map(),

  // Sessions whose next turn was announced, and the run of those in one. The
  // bootstrap comes before the model works, but not in every turn, and comes
  // when the context is compacted or shown as well; a call of the model is
  // sure, but late. What is dirty while no turn runs is not the agent's work.
  announced: new Set(),
  running: new Map(),

  // Events that wait for git-claw to end, by workspace: the save at the end of
  // a turn has to come before the one at the start of the next.
  waiting: new Map(),
});

function modelCalled(context) {
  const key = text(context?.sessionKey);
  const run = text(context?.runId);
  if (!key || !run || run.includes(":compaction:")) return;
  const known = running.get(key)?.run === run;
  running.set(key, { run, session: text(context?.sessionId), at: Date.now() });
  if (!known && !announced.delete(key)) notice("turn_start", context, key);
}

function notice(event, context, sessionKey) {
  const key = text(sessionKey) || text(context?.sessionKey);
  if (event === "gateway:shutdown") {
    // Nothing queued would run any more.
    for (const dir of new Set(workspaces.values())) {
      const owner = worker(dir);
      void run(dir, { event, workspaceDir: dir, sessionId: running.get(owner)?.session, idle: !owner }, owner);
    }
    return;
  }
  const agent = agentOf(key, context);
  const workspace = text(context?.workspaceDir) || workspaces.get(agent) || "";
  if (workspace) workspaces.set(agent, workspace);
  let owner = atWork(key) ? key : worker(workspace, key);
  if (event === "agent:bootstrap" && owner === key) return;
  if (event === "agent:bootstrap" && workspace) announced.add(key);
  if (event === "turn_start") owner = worker(workspace, key);
  if (event === "agent_end") {
    running.delete(key);
    announced.delete(key);
    owner = key;
  }
  if (!workspace) return;
  if (owner && owner !== key) {
    // The session next to it is at work, or the one that started this one.
    const { session } = running.get(owner);
    enqueue(workspace, { event: "turn_part", workspaceDir: workspace, agentId: agentOf(owner), sessionKey: owner, sessionId: session }, owner);
    return;
  }
  const session = context?.previousSessionEntry ?? context?.sessionEntry;
  enqueue(workspace, {
    event,
    workspaceDir: workspace,
    agentId: agent,
    sessionKey: key,
    sessionId: text(context?.sessionId) || text(session?.sessionId),
    trigger: text(context?.trigger) || text(context?.reason),
    idle: !owner,
  }, key);
}

function agentOf(key, context) {
  return text(context?.agentId) || /^agent:([^:]+):/.exec(key)?.[1] || "";
}

function atWork(key) {
  return Date.now() - running.get(key)?.at < maxQuietMs;
}

// worker finds a session other than one whose turn runs in a workspace.
function worker(workspace, other) {
  return [...running.keys()].find((key) => key !== other && atWork(key) && workspaces.get(agentOf(key)) === workspace) ?? "";
}

function enqueue(workspace, body, key) {
  const queue = waiting.get(workspace);
  if (queue) {
    if (queue.length < maxWaiting) queue.push([body, key]);
    return;
  }
  const own = [[body, key]];
  waiting.set(workspace, own);
  void drain(workspace, own);
}

async function drain(workspace, queue) {
  while (queue.length > 0) {
    const [body, key] = queue.shift();
    await run(workspace, body, key);
  }
  waiting.delete(workspace);
}

// run starts git-claw without a shell, apart from this process, and resolves
// when it has ended or takes too long.
function run(workspace, body, key) {
  return new Promise((done) => {
    quietly(() => {
      const child = spawn(program(), ["hooks", "run", "openclaw"], {
        cwd: workspace,
        detached: true,
        windowsHide: true,
        stdio: ["pipe", "ignore", "ignore"],
        env: environment(key),
      });
      const timer = setTimeout(done, maxRunMs);
      timer.unref?.();
      const end = () => {
        clearTimeout(timer);
        done();
      };
      child.on("error", end);
      child.on("exit", end);
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(body));
      child.unref();
    }, done);
  });
}

// program is the recorded path, or what PATH has where that is gone.
function program() {
  try {
    accessSync(binary, constants.X_OK);
    return binary;
  } catch {
    return "git-claw";
  }
}

// environment says what kind of session it is; a session that is not known to
// be the private one counts as a group. Nobody approves anything from here.
function environment(key) {
  const env = { ...process.env, GIT_CLAW_SESSION_KIND: kind(key) };
  delete env.GIT_CLAW_APPROVER;
  return env;
}

function kind(key) {
  if (/(^|:)cron:/.test(key)) return "cron";
  if (/(^|:)subagent:/.test(key)) return "subagent";
  return /^agent:[^:]+:main$/.test(key) ? "main" : "group";
}

function text(value) {
  return typeof value === "string" ? value : "";
}

function quietly(action, otherwise) {
  try {
    action();
  } catch {
    otherwise?.();
  }
}
