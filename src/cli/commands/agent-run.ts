import { InvalidArgumentError } from 'commander'
import { type Command, does } from '../call/command.ts'
import { inlineJob, jobsOfFile, promptOf, runJobs } from '../verbs/agents/run-agents.ts'
import { text } from '../call/values.ts'
import { argument, flag, naming, newName, option, several } from '../call/words.ts'

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
      (await import('../verbs/agents/agent-standing.ts')).agentStanding(call, session, agents),
    example: 'agent status session-20260130-142233 backend',
  }),
]
