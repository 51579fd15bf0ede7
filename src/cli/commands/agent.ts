import { InvalidArgumentError } from 'commander'
import { deliveries } from '../../domain/agent/messages.ts'
import { forkAgent } from '../../operations/agents/fork.ts'
import { deregisterAgent, heartbeat } from '../../operations/agents/heartbeat.ts'
import { getAgent, listAgents } from '../../operations/agents/list.ts'
import { getAgentRuns } from '../../operations/agents/runs.ts'
import { registerAgent, spawnAgent, terminateAgent } from '../../operations/agents/spawn.ts'
import { listMessages } from '../../operations/messages/inbox.ts'
import { say, stopTurn } from '../../operations/messages/say.ts'
import { perform } from '../../operations/perform/perform.ts'
import { type Command, does, given, open, performs } from '../call/command.ts'
import { taskNumber, text } from '../call/values.ts'
import { argument, choice, flag, naming, needed, newName, option, several } from '../call/words.ts'
import { agentDetail, agentLine, agentList } from '../print/agents.ts'
import { messageLine, messageList } from '../print/messages.ts'
import { inlineJob, jobsOfFile, promptOf, runJobs, spawn } from '../verbs/agents.ts'
import { printAgentLogs } from '../verbs/logs.ts'
import { takeOverHere } from '../verbs/take-over.ts'

const id = naming('agents', argument('ID', 'Id of the agent', text))

export const agentCommands: readonly Command[] = [
  does({
    path: 'agent spawn',
    summary: spawnAgent.summary,
    words: {
      personaId: naming('personas', needed('--persona', 'P', 'Persona that the agent works as', text)),
      worktree: naming('worktrees', option('--worktree', 'W', 'Worktree that it is confined to', text)),
      kind: option('--kind', 'K', 'Kind of agent (default: as configured)', text),
      taskId: naming(
        'tasks',
        option('--task', 'ID', 'Task to run (default: all tasks for the persona, one after another)', taskNumber),
      ),
      once: flag('--once', 'End after one task'),
      beside: flag('--beside', 'Start it even if another agent writes in the worktree'),
      taskMode: flag('--task-mode', 'Run tasks until none is left for the persona (the default)'),
      dryRun: flag('--dry-run', 'Start nothing; show what would be started'),
    },
    run: spawn,
    example: 'agent spawn --persona implementer --worktree user-auth --kind claude',
  }),
  performs({
    path: 'agent list',
    words: { all: flag('--all', 'Also agents that have ended') },
    operation: listAgents,
    input: ({ all }) => ({ all }),
    text: agentList,
    example: 'agent list --all',
  }),
  does({
    path: 'agent show',
    summary: 'Show one agent with its runs: usage, last message and outcome',
    words: { id },
    run: async ({ id }, call) => {
      const { core, actor } = await open(call)
      const agent = await perform(core, getAgent, { agentId: id }, actor)
      const runs = await perform(core, getAgentRuns, { agentId: id }, actor)
      return { json: { ...agent, runs }, text: agentDetail(agent, runs, core.clock()) }
    },
    example: 'agent show implementer-1',
  }),
  does({
    path: 'agent logs',
    summary: 'Show the notes of an agent and the output of its process',
    words: {
      id,
      follow: flag('--follow', 'Print new output until Ctrl-C (with --json one value per line)'),
      raw: flag('--raw', 'Only the output of the process, unchanged'),
    },
    run: ({ id, follow, raw }, call) => printAgentLogs(call, id, { follow, raw }),
    example: 'agent logs implementer-1 --follow',
  }),
  performs({
    path: 'agent terminate',
    words: {
      id,
      reason: option('--reason', 'R', 'Reason', text),
      gone: flag('--gone', 'Its host or container no longer exists, so there is nothing to stop'),
    },
    operation: terminateAgent,
    input: ({ id, reason, gone }) => ({ agentId: id, ...given('reason', reason), ...(gone ? { gone } : {}) }),
    text: agentLine,
    example: "agent terminate implementer-1 --reason 'runs in circles'",
  }),
  performs({
    path: 'agent say',
    words: {
      id,
      text: argument('TEXT', 'What to say, as one argument', text),
      when: choice(
        '--when',
        'WHEN',
        'When it gets the message: now, turn (at the end of the turn) or attempt (the next one)',
        deliveries,
      ),
      also: option('--also', 'IDS', 'Further agents, separated by commas', text),
    },
    operation: say,
    input: ({ id, text, when, also }) => ({
      agentIds: [id, ...(also === undefined ? [] : also.split(','))],
      text,
      ...given('when', when),
    }),
    text: messageList,
    example: "agent say implementer-1 'Use the existing form.' --when turn",
  }),
  performs({
    path: 'agent messages',
    words: { id },
    operation: listMessages,
    input: ({ id }) => ({ agentId: id }),
    text: messageList,
    example: 'agent messages implementer-1',
  }),
  performs({
    path: 'agent stop-turn',
    words: { id },
    operation: stopTurn,
    input: ({ id }) => ({ agentId: id }),
    text: messageLine,
    example: 'agent stop-turn implementer-1',
  }),
  does({
    path: 'agent take-over',
    summary: "Continue an agent's conversation yourself on this terminal, in its own program, and hand it back",
    words: { id },
    run: ({ id }, call) => takeOverHere(call, id),
    example: 'agent take-over implementer-1',
  }),
  performs({
    path: 'agent fork',
    words: {
      id,
      text: option('--say', 'TEXT', 'What the new agent is to do, in addition to the rest of the task', text),
    },
    operation: forkAgent,
    input: ({ id, text }) => ({ agentId: id, ...given('text', text) }),
    text: ({ forkOf, ...agent }) =>
      `${agentLine(agent)}. It continues a copy of the conversation of ${forkOf} in worktree ${agent.assignedWorktree}.`,
    example: "agent fork implementer-1 --say 'Try it without the new dependency.'",
  }),
  performs({
    path: 'agent register',
    words: {
      id: newName('ID', 'Id of the new agent', text),
      personaId: naming('personas', needed('--persona', 'P', 'Persona that the agent works as', text)),
      worktree: naming('worktrees', option('--worktree', 'W', 'Worktree that it is confined to', text)),
    },
    operation: registerAgent,
    input: ({ id, personaId, worktree }) => ({ id, personaId, ...given('worktree', worktree) }),
    text: (agent) => `${agentLine(agent)}. Its token, which is not shown again:\n${agent.token}`,
    example: 'agent register backend-1 --persona implementer',
  }),
  performs({
    path: 'agent heartbeat',
    words: { id },
    operation: heartbeat,
    input: (words) => ({ agentId: words.id }),
    text: agentLine,
    example: 'agent heartbeat backend-1',
  }),
  performs({
    path: 'agent deregister',
    words: { id },
    operation: deregisterAgent,
    input: (words) => ({ agentId: words.id }),
    text: agentLine,
    example: 'agent deregister backend-1',
  }),
]

const kind = option('--kind', 'K', 'Kind of agent (default: as configured)', text)

/** Seed 000: agents that a person names and that report through files. */
export const agentRunCommands: readonly Command[] = [
  does({
    path: 'agent run',
    summary: 'Run a named agent on a prompt and wait for its result; exit code 0 only if it completed',
    words: {
      id: argument('AGENT', 'Id of the agent', text),
      prompt: newName('PROMPT', 'The prompt, or a file that contains it', text),
      kind,
      workspace: option('--workspace', 'DIR', 'Folder to work in (default: the root of the repository)', text),
    },
    run: ({ id, prompt, kind, workspace }, call) =>
      runJobs(call, [{ agentId: id, prompt: promptOf(prompt, call.root), workspace }], {
        kind,
        wait: true,
        totals: false,
      }),
    example: "agent run backend 'Make the login work' --kind claude",
  }),
  does({
    path: 'agent parallel',
    summary: 'Run several named agents in parallel; exit code 1 if any did not complete',
    words: {
      jobs: several(
        'JOBS',
        'A YAML file with tasks: [{agent, task, workspace}], or with --inline one or more agent:task[:workspace]',
        text,
      ),
      inline: flag('--inline', 'The arguments are jobs, not a file'),
      kind,
      noWait: flag('--no-wait', 'Return when the agents have started'),
    },
    run: async ({ jobs, inline, kind, noWait }, call) => {
      if (!inline && jobs.length > 1) throw new InvalidArgumentError('Pass one file, or several jobs with --inline.')
      return runJobs(call, inline ? jobs.map(inlineJob) : await jobsOfFile(jobs[0]!, call), {
        kind,
        wait: !noWait,
        totals: true,
      })
    },
    example: "agent parallel --inline 'backend:Make the login work:./api' 'frontend:Make the form'",
  }),
  does({
    path: 'agent status',
    summary: 'Show the state of the agents of a session, one agent:state per line',
    words: {
      session: naming('sessions', argument('SESSION', 'Id of the session', text)),
      agents: several('AGENTS', 'Ids of agents (default: all of the session)', text, 'optional'),
    },
    run: async ({ session, agents }, call) =>
      (await import('../verbs/agent-states.ts')).agentStanding(call, session, agents),
    example: 'agent status session-20260130-142233 backend',
  }),
]
